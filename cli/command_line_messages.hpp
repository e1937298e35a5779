// What the command line says of itself and of mistakes, in plain words and not in those of CLI11.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace tactus {

// Prints one line instead of the page that CLI11 would print, or the text of --help or --version. Returns an exit
// status.
int explain(const CLI::App& app, const CLI::ParseError& error);

// Help without the types of values, which CLI11 names in its own words.
class PlainFormatter : public CLI::Formatter {
  public:
    std::string make_option_opts(const CLI::Option* option) const override;
};

} // namespace tactus
