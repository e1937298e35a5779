// An OTF2 archive that is being read, with its definitions as the archive has them. One thread.
#pragma once

#include "base/result.hpp"
#include "postproc/export/otf2_error.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <otf2/otf2.h>
#include <string>
#include <vector>

namespace tactus {

struct Otf2Location {
    std::string name;
    std::uint64_t group = 0;
    std::uint64_t events = 0;
    bool thread = false; // a CPU thread
};
struct Otf2LocationGroup {
    std::string name;
    std::uint64_t node = 0;
    bool process = false;
};
struct Otf2Node {
    std::string name;
    std::string class_name;
    std::uint64_t parent = 0;
};
struct Otf2Region {
    std::string name;
    std::string file;
    std::uint32_t begin_line = 0;
    std::uint32_t end_line = 0;
};
struct Otf2Group {
    OTF2_GroupType type{};
    std::vector<std::uint64_t> members;
};
struct Otf2Comm {
    std::string name;
    std::uint64_t group = 0;
    std::uint64_t remote = OTF2_UNDEFINED_GROUP; // the other group of an intercommunicator
    std::uint64_t parent = OTF2_UNDEFINED_COMM;
};
struct Otf2Metric {
    std::string name;
    std::string unit;
    OTF2_Type type{};
    OTF2_MetricMode mode{};
};

struct Otf2Content {
    std::uint64_t resolution = 0; // ticks a second
    std::uint64_t offset = 0;
    std::uint64_t length = 0;
    std::uint64_t realtime_ns = 0;
    std::map<std::uint64_t, std::string> strings;
    std::map<std::uint64_t, Otf2Node> nodes;
    std::map<std::uint64_t, Otf2LocationGroup> location_groups;
    std::map<std::uint64_t, Otf2Location> locations;
    std::map<std::uint64_t, Otf2Region> regions;
    std::map<std::uint64_t, std::uint64_t> contexts; // calling contexts: their region
    std::map<std::uint64_t, Otf2Group> groups;
    std::vector<std::uint64_t> rank_locations; // locations of MPI's ranks, by rank
    std::map<std::uint64_t, Otf2Comm> comms;
    std::map<std::uint64_t, Otf2Metric> metrics;
    std::map<std::uint64_t, std::vector<std::uint64_t>> metric_classes;
    [[nodiscard]] std::string string(std::uint64_t ref) const {
        const auto found = strings.find(ref);
        return found != strings.end() ? found->second : std::string{};
    }
};

class Otf2Archive {
  public:
    // `path` is the anchor file (traces.otf2), or the folder that contains it.
    static Result<Otf2Archive> open(const std::string& path);

    [[nodiscard]] const std::string& path() const { return path_; }
    [[nodiscard]] const Otf2Content& content() const { return *content_; }
    [[nodiscard]] OTF2_Reader* reader() const { return reader_.get(); }
    [[nodiscard]] bool by_tactus() const { return by_tactus_; }
    [[nodiscard]] std::uint64_t identity() const;
    [[nodiscard]] std::string property(const char* name) const; // empty: no such property
    // Passes every event of a location to `callbacks`.
    Outcome read_events(std::uint64_t location, const OTF2_EvtReaderCallbacks* callbacks, void* data) const;
    // Markers by location. `elsewhere` becomes the number of markers that are of no location.
    struct Marker {
        std::uint64_t time = 0;
        std::string text;
    };
    Result<std::map<std::uint64_t, std::vector<Marker>>> markers(std::uint64_t& elsewhere) const;

  private:
    struct Close {
        void operator()(OTF2_Reader* reader) const { OTF2_Reader_Close(reader); }
    };
    Outcome read_definitions();
    [[nodiscard]] Error error(const std::string& advice = {}) const { return errors_->error(path_, advice); }

    std::string path_;
    std::unique_ptr<Otf2Errors> errors_;
    std::unique_ptr<OTF2_Reader, Close> reader_;
    std::unique_ptr<Otf2Content> content_;
    bool by_tactus_ = false;
};

} // namespace tactus
