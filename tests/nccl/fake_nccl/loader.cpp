#include "loader.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <strings.h>

namespace tactus::fake_nccl {
namespace {

void* open_library(const char* name) { return dlopen(name, RTLD_NOW | RTLD_LOCAL); }

bool is_static_name(const std::string& name) {
    return !name.empty() && strncasecmp("STATIC_PLUGIN", name.c_str(), name.size()) == 0;
}

bool may_be_short(const std::string& name) {
    const bool full = name.starts_with("lib") && name.ends_with(".so");
    return name.find('/') == std::string::npos && !full;
}

void* open_named(std::string name) {
    constexpr std::size_t longest_name = 254;
    if (name.size() > longest_name) name.resize(longest_name);
    if (name.empty()) return open_library("libnccl-profiler.so");
    if (is_static_name(name)) return open_library(nullptr);
    void* library = open_library(name.c_str());
    if (library == nullptr && may_be_short(name)) library = open_library(("libnccl-profiler-" + name + ".so").c_str());
    if (library == nullptr && std::getenv("FAKE_NCCL_DEBUG") != nullptr) std::fprintf(stderr, "%s\n", dlerror());
    return library;
}

} // namespace

const Plugin* Loader::load() {
    const char* named = std::getenv("NCCL_PROFILER_PLUGIN");
    const std::string name = named != nullptr ? named : "";
    if (strcasecmp(name.c_str(), "none") == 0) return nullptr;
    library_ = open_named(name);
    if (library_ == nullptr) return nullptr;
    for (int version = std::min(native_version(core_), newest_version_); version >= 3; --version)
        if (const void* symbol = dlsym(library_, ("ncclProfiler_v" + std::to_string(version)).c_str()))
            return &plugins_.emplace_back(symbol, version, core_);
    std::fprintf(stderr, "fake_nccl: the profiler plugin has none of the versions that this NCCL supports\n");
    dlclose(library_);
    library_ = nullptr;
    return nullptr;
}

const Plugin* Loader::acquire() {
    const std::scoped_lock lock{mutex_};
    if (status_ == Status::failed) return nullptr;
    if (status_ == Status::ready) {
        const Plugin* plugin = load();
        if (plugin == nullptr) {
            status_ = Status::failed;
            return nullptr;
        }
        status_ = Status::loaded;
        last_version_.store(plugin->version(), std::memory_order_relaxed);
        times_loaded_.fetch_add(1, std::memory_order_relaxed);
        current_.store(plugin, std::memory_order_release);
    }
    ++references_;
    return current();
}

void Loader::release() {
    const std::scoped_lock lock{mutex_};
    if (status_ == Status::failed) return;
    if (--references_ != 0) return;
    current_.store(nullptr, std::memory_order_release);
    if (library_ != nullptr) dlclose(library_);
    library_ = nullptr;
    status_ = Status::ready;
}

void Loader::disable() {
    const std::scoped_lock lock{mutex_};
    status_ = Status::failed;
    current_.store(nullptr, std::memory_order_release);
}

} // namespace tactus::fake_nccl
