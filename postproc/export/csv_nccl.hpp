// The CSV table that has a row for each rank's part of an NCCL operation.
#pragma once

#include "postproc/export/csv.hpp"
#include "postproc/export/output_file.hpp"

namespace tactus {

// Writes the table to `out`. Counts the rows in `exported`, and adds what could not be read.
void put_csv_nccl(const Trace& trace, const StepClock& clock, OutputFile& out, Exported& exported);

} // namespace tactus
