#include "cli/command_line_parts.hpp"

#include "cli/messages.hpp"
#include "postproc/export/csv.hpp"

#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>

namespace tactus {

std::string found_trace(std::string path) {
    std::error_code failed;
    const std::string whole = path + ".tactus";
    // A program may have the name of its trace.
    const bool is_folder = std::filesystem::is_directory(path, failed);
    return !is_folder && std::filesystem::is_directory(whole, failed) ? whole : path;
}

void add_trace(CLI::App* sub, std::string& trace) {
    sub->add_option("TRACE", trace, "The directory NAME.tactus, or NAME")->required()->transform(found_trace);
}

void add_fit(CLI::App* sub, std::optional<Fit>& wanted, const std::vector<std::string>& names, const char* help) {
    sub->add_option_function<std::string>(
           "--fit",
           [&wanted](const std::string& name) {
               for (std::size_t i = 0; i < fit_names.size(); ++i)
                   if (name == fit_names[i]) wanted = static_cast<Fit>(i);
           },
           help)
        ->check(CLI::IsMember(names));
}

void add_times(CLI::App* sub, std::optional<Times>& times, std::optional<Fit>& fit,
               const std::vector<std::string>& names, const char* help) {
    sub->add_option_function<std::string>(
           "--time",
           [&times, &fit](const std::string& name) {
               for (std::size_t i = 0; i < times_names.size(); ++i)
                   if (name == times_names[i]) times = static_cast<Times>(i);
               if (times == Times::raw) fit = Fit::raw;
           },
           help)
        ->check(CLI::IsMember(names));
}

void add_window(CLI::App* sub, std::optional<double>& from_s, std::optional<double>& to_s) {
    const auto finite = [](const std::string& text) {
        return text.find_first_of("nN") == std::string::npos ? "" : text + " is no time"; // rejects nan and inf
    };
    sub->add_option("--from", from_s, "Seconds since the first rank started")->check(finite);
    sub->add_option("--to", to_s, "Until then")->check(finite);
}

void add_recover(CLI::App& app, Status& status, RecoverRequest& request) {
    CLI::App* sub = app.add_subcommand(
        "recover", "Repair a trace whose ranks were killed: bring in what their lanes still hold, close the files.");
    sub->add_option("TRACE", request.paths, "The directory NAME.tactus; with --list, more folders to look into");
    sub->add_flag(
        "--list", request.list,
        "Name the lanes that jobs, running or dead, have on this host: in /dev/shm, /tmp and the folders given");
    sub->add_flag(
        "--other-hosts", request.other_hosts,
        "Also ranks that ran on other hosts, which you know to be dead; of their lanes only those seen from here");
    sub->footer("What is changed is kept in TRACE/before-recover. On a cluster run it on each host of the job.");
    sub->callback([&request, &status] {
        if (!request.list && request.paths.size() != 1)
            status = misused("give one trace (see tactus recover --help)");
        else
            status = recover(request);
    });
}

void add_finish(CLI::App& app, Status& status, FinishRequest& request) {
    CLI::App* sub = app.add_subcommand(
        "finish", "Analyze a trace: correct its clocks, find its waits, and keep the names of its call places.");
    add_trace(sub, request.trace);
    sub->add_option("--threads", request.threads, "How many of one process; without it by ranks and cores")
        ->check(CLI::Range(1, 1024));
    sub->add_option(
           "--mpi", request.mpi,
           "Whose launcher started this, where that is not known by itself (srun); none: only this process works")
        ->check(CLI::IsMember({"openmpi", "mpich", "abi", "none"}));
    sub->footer(
        "The end of MPI_Finalize does the same. VT_ECLC and the other options of the correction hold here, too.\n"
        "Under mpirun the processes share the work, however many ranks the trace has.");
    sub->callback([&] { status = finish(request); });
}

void add_export(CLI::App& app, Status& status, ExportRequest& request) {
    CLI::App* sub = app.add_subcommand("export", "A trace for other tools: OTF2, Perfetto, or tables as CSV.");
    CLI::Option_group* formats = sub->add_option_group("Formats");
    formats->require_option(1);
    formats->add_flag_callback(
        "--otf2", [&request] { request.format = ExportFormat::otf2; },
        "An OTF2 archive, in a folder of its own: Vampir, Scalasca, otf2-print");
    formats->add_flag_callback(
        "--perfetto", [&request] { request.format = ExportFormat::perfetto; }, "A file for ui.perfetto.dev");
    std::vector<std::string> tables;
    tables.reserve(csv_tables.size() + 1);
    for (const CsvTable& table : csv_tables) tables.emplace_back(table.name);
    CLI::Option* csv =
        formats->add_flag("--csv{all}", request.table, "A table as CSV, or without a name all of them in a folder");
    csv->type_name("[=" + fmt::format("{}", fmt::join(tables, "|")) + "]");
    tables.emplace_back("all");
    csv->check(CLI::IsMember(tables));
    add_trace(sub, request.trace);
    sub->add_option("OUT", request.out, "What to write; it must not exist yet. - is standard output, of one table")
        ->required();
    add_times(sub, request.times, request.fit, {"raw", "corrected", "compensated"},
              "Times on one clock (corrected, the default); compensated: as they would have been without the tracer; "
              "raw: by each host's date");
    sub->callback([&] {
        if (!request.table.empty()) request.format = ExportFormat::csv;
        status = export_trace(request);
    });
}

void add_import(CLI::App& app, Status& status, ImportRequest& request) {
    CLI::App* sub = app.add_subcommand("import", "What another tool traced as a trace of ours.");
    sub->add_flag_callback(
           "--otf2", [] {}, "ARCHIVE is an OTF2 archive: of Score-P, EZTrace, or exported from here")
        ->required();
    sub->add_option("ARCHIVE", request.archive, "Its folder, or the file NAME.otf2")->required();
    sub->add_option("OUT", request.trace, "The trace to make, NAME.tactus; it must not exist yet")->required();
    const std::map<std::string, ArchiveClocks> clocks{
        {"one", ArchiveClocks::one}, {"hosts", ArchiveClocks::hosts}, {"ranks", ArchiveClocks::ranks}};
    sub->add_option(
           "--clocks", request.clocks,
           "Whose clock its stamps are by: one, all processes' (the default); each host's or each rank's own, so "
           "that `tactus finish` puts them together by the messages")
        ->transform(CLI::Transformer(clocks))
        ->type_name("{one,hosts,ranks}");
    sub->footer("`tactus finish OUT` then puts it on one clock and finds its waits.");
    sub->callback([&] { status = import_trace(request); });
}

} // namespace tactus
