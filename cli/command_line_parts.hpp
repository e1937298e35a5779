// Parts of command_line.cpp: options that several subcommands share, and the subcommands that change or write files.
#pragma once

#include "cli/commands.hpp"

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

namespace tactus {

using Status = int;

// Returns the path, or PATH.tactus if only that exists: `tactus report halo` finds halo.tactus.
std::string found_trace(std::string path);
void add_trace(CLI::App* sub, std::string& trace);
// Adds --fit, whose value is one of `names`. These must be in fit_names.
void add_fit(CLI::App* sub, std::optional<Fit>& wanted, const std::vector<std::string>& names, const char* help);
// Adds --time, whose value is one of `names`. The value raw also sets `fit` to raw.
void add_times(CLI::App* sub, std::optional<Times>& times, std::optional<Fit>& fit,
               const std::vector<std::string>& names, const char* help);
void add_window(CLI::App* sub, std::optional<double>& from_s, std::optional<double>& to_s);

void add_recover(CLI::App& app, Status& status, RecoverRequest& request);
void add_finish(CLI::App& app, Status& status, FinishRequest& request);
void add_export(CLI::App& app, Status& status, ExportRequest& request);
void add_import(CLI::App& app, Status& status, ImportRequest& request);

} // namespace tactus
