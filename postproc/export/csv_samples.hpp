// The CSV tables of what threads did outside of calls, as far as the tracer looked.
#pragma once

#include "postproc/export/csv.hpp"
#include "postproc/export/output_file.hpp"

namespace tactus {

// Each function writes its table to `out`. It counts the rows in `exported`, and adds what could not be read.
void put_csv_stretches(const Trace& trace, const StepClock& clock, OutputFile& out, Exported& exported);
void put_csv_samples(const Trace& trace, const StepClock& clock, const PlaceNames& names, OutputFile& out,
                     Exported& exported);

} // namespace tactus
