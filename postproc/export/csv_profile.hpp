// The CSV tables of sums, with the rows that `tactus report` shows.
#pragma once

#include "postproc/export/csv.hpp"
#include "postproc/export/output_file.hpp"
#include "postproc/profile/profile.hpp"
#include "postproc/waits/run_waits.hpp"

#include <string_view>

namespace tactus {

// Both return false if they have no such table.
bool put_csv_profile(const Profile& profile, std::string_view table, const PlaceText& place_text, OutputFile& out,
                     Exported& exported);
bool put_csv_waits(const RunWaits& waits, std::string_view table, const PlaceText& place_text, OutputFile& out,
                   Exported& exported);

} // namespace tactus
