// Catch2 of version 2 or 3, whichever is here, by the same names.
#pragma once

#if __has_include(<catch2/catch_test_macros.hpp>)
#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_all.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using Catch::Approx;
inline auto Contains(const std::string& part) { return Catch::Matchers::ContainsSubstring(part); }
#else
#include <catch2/catch.hpp>

using Catch::Matchers::Contains;
#endif

using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;
