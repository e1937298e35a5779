/* A program without MPI that opens a plugin with MPI, late and locally, as Python does. Usage: plugin_host PLUGIN.so */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char** argv) {
    void* plugin = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (plugin == NULL) {
        fprintf(stderr, "no plugin: %s\n", dlerror());
        return 1;
    }
    int (*run)(void);
    *(void**)&run = dlsym(plugin, "run_plugin");
    return run == NULL ? 1 : run();
}
