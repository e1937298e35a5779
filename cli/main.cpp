// The main function of the command. It turns every exception into one line on standard error.
#include "cli/command_line.hpp"
#include "cli/exit_code.hpp"

#include <cstdio>
#include <exception>
#include <new>
#include <system_error>

int main(int argc, char** argv) {
    try {
        return tactus::run_command_line(argc, argv);
    } catch (const std::bad_alloc&) {
        std::fputs("tactus: there is not enough memory for this (dump takes the least: try it with --rank)\n", stderr);
    } catch (const std::system_error& error) {
        std::fprintf(stderr, "tactus: %s\n", error.what()); // mostly output that cannot be written
    } catch (const std::exception& error) {
        std::fprintf(stderr, "tactus: %s (this is a fault of tactus: please report it with the command)\n",
                     error.what());
    }
    return tactus::exit_code::fault;
}
