// The CSV tables that have a row for each event.
#pragma once

#include "postproc/export/csv.hpp"
#include "postproc/export/output_file.hpp"

namespace tactus {

// Each function writes its table to `out`. It counts the rows in `exported`, and adds what could not be read or
// matched.
void put_csv_events(const Trace& trace, const StepClock& clock, const PlaceText& place_text, OutputFile& out,
                    Exported& exported);
void put_csv_messages(const Trace& trace, const StepClock& clock, OutputFile& out, Exported& exported);

} // namespace tactus
