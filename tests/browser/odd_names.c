/* Regions, a counter and places with names that a page must show as text: markup, invalid UTF-8, characters that change
 * the direction of text, and a name of 5,000 characters. */
#include <VT.h>
#include <mpi.h>
#include <string.h>
#include <unistd.h>

enum { rounds = 20, long_name = 5000 };

static int region(const char* class_name, const char* name) {
    int class_handle = VT_NOCLASS, handle = 0;
    if (class_name != NULL) VT_classdef(class_name, &class_handle);
    VT_funcdef(name, class_handle, &handle);
    return handle;
}

static int counter(const char* name, const char* unit) {
    const double bounds[2] = {0, 100};
    int handle = 0;
    VT_countdef(name, VT_NOCLASS, VT_COUNT_FLOAT | VT_COUNT_ABSVAL | VT_COUNT_VALID_AFTER, VT_ME, bounds, unit,
                &handle);
    return handle;
}

int main(int argc, char** argv) {
    static char endless[long_name + 1];
    memset(endless, 'x', long_name);
    MPI_Init(&argc, &argv);
    const int regions[] = {region("<script>alert(1)</script>", "<script>alert(1)</script>"),
                           region(NULL, "<img src=x onerror=alert(2)>"), region("caf\xe9", "\xff\xfe\x80 no UTF-8"),
                           region(NULL, "turned \xe2\x80\xae around\n\t\x01 and 'quoted' \"twice\" &amp; ${1}"),
                           region(NULL, endless)};
    const int values = counter("<b>residual</b>\xff", "\"><script>alert(4)</script>");
    int place = VT_NOSCL;
    VT_scldef("<svg onload=alert(5)>\xff.c", 7, &place);
    for (int i = 0; i < rounds; ++i)
        for (unsigned k = 0; k < sizeof regions / sizeof regions[0]; ++k) {
            const double value = i + k;
            VT_thisloc(place);
            VT_begin(regions[k]);
            VT_countval(1, &values, &value);
            usleep(300);
            MPI_Barrier(MPI_COMM_WORLD);
            VT_end(regions[k]);
        }
    VT_log_comment("<script>alert(6)</script>");
    MPI_Comm_set_name(MPI_COMM_WORLD, "<i>all\xff</i>");
    MPI_Finalize();
    return 0;
}
