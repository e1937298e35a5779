// What is learned of a library of the standard ABI, from functions that stand for those of a library.
#include "mpi_kind.hpp"
#include "tests/unit/made/catch.hpp"

#include <string>

namespace tactus {
namespace {

constexpr std::uint64_t long_message = 0x1122334455;

void use_library(const char* version, StatusLayout layout) {
    static std::string text;
    static StatusLayout written;
    text = version;
    written = layout;
    pmpi.Get_library_version = [](char* to, int* size) {
        text.copy(to, text.size());
        *size = static_cast<int>(text.size());
        return MPI_SUCCESS;
    };
    pmpi.Status_set_elements_x = [](MPI_Status* status, MPI_Datatype, MPI_Count count) {
        const auto bytes = static_cast<std::uint64_t>(count);
        if (written == StatusLayout::openmpi) {
            std::memcpy(status->internal + 1, &bytes, sizeof bytes);
        } else if (written == StatusLayout::mpich) {
            status->internal[0] = static_cast<int>(static_cast<std::uint32_t>(bytes));
            status->internal[1] = static_cast<int>(bytes >> 32 << 1);
        } else {
            std::memcpy(status->internal + 2, &bytes, sizeof bytes);
        }
        return MPI_SUCCESS;
    };
    pmpi.Status_set_cancelled = [](MPI_Status* status, int flag) {
        if (written == StatusLayout::mpich)
            status->internal[1] |= flag;
        else
            status->internal[0] = flag;
        return MPI_SUCCESS;
    };
    pmpi.Get_elements_x = [](const MPI_Status* status, MPI_Datatype, MPI_Count* count) {
        std::memcpy(count, status->internal + 2, sizeof *count);
        return MPI_SUCCESS;
    };
    pmpi.Test_cancelled = [](const MPI_Status* status, int* flag) {
        *flag = status->internal[0];
        return MPI_SUCCESS;
    };
    pmpi.Type_create_subarray = [](int, const int*, const int*, const int*, int order, MPI_Datatype, MPI_Datatype*) {
        return order == MPI_ORDER_C ? MPI_SUCCESS : MPI_ERR_TRUNCATE;
    };
    pmpi.Type_get_contents = [](MPI_Datatype, int most, int, int, int* numbers, MPI_Aint*, MPI_Datatype*) {
        numbers[most - 1] = written == StatusLayout::openmpi ? 0 : MPI_ORDER_C;
        return MPI_SUCCESS;
    };
    pmpi.Type_free = [](MPI_Datatype*) { return MPI_SUCCESS; };
    learn_library();
}

void expect_lengths() {
    MPI_Status status{};
    set_bytes(status, long_message);
    CHECK(bytes_in(status) == long_message);
    CHECK_FALSE(cancelled(status));
    pmpi.Status_set_cancelled(&status, 1);
    CHECK(cancelled(status));
    CHECK(bytes_in(status) == long_message);
}

} // namespace

TEST_CASE("abi: the layout of statuses and the behaviors are the library's") {
    use_library("Open MPI v6.0.0rc2, package: made by hand", StatusLayout::openmpi);
    CHECK(status_layout == StatusLayout::openmpi);
    CHECK(is_known_mpi());
    CHECK(tells_truncated_length);
    CHECK(order_of_c == 0);
    expect_lengths();
}

TEST_CASE("abi: a library of MPICH") {
    use_library("MPICH Version:      5.0.2\nMPICH Release date: ...", StatusLayout::mpich);
    CHECK(status_layout == StatusLayout::mpich);
    CHECK(is_known_mpi());
    CHECK(failed_receive_keeps_type);
    CHECK(order_of_c == MPI_ORDER_C);
    expect_lengths();
}

TEST_CASE("abi: a library of another maker is asked by calls") {
    use_library("mpi_abi_wrapper 1.2.0, wrapping: Open MPI v5.0.7", StatusLayout::unknown);
    CHECK(status_layout == StatusLayout::unknown);
    CHECK_FALSE(is_known_mpi());
    expect_lengths();
}

} // namespace tactus
