// Collects what records define: communicators, windows, files, and what the application named through VT.h.
#pragma once

#include "trace/definitions.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace tactus {

// Takes records in their order: the name of a communicator follows its definition.
class Definer {
  public:
    explicit Definer(Definitions& all) : all_{all} {
        for (std::size_t i = 0; i < all.comms.size(); ++i) comm_at_[all.comms[i].number] = i;
    }

    void take(const Record& record, std::span<const std::int64_t> words) {
        switch (record.what.kind) {
        case Kind::comm:
            return take_comm(words);
        case Kind::window:
            return take_object(words, all_.windows);
        case Kind::file:
            return take_object(words, all_.files);
        case Kind::comm_name:
            if (const auto found = comm_at_.find(record.what.comm); found != comm_at_.end())
                all_.comms[found->second].name = text_in(words, record.what.bytes);
            return;
        case Kind::symbol:
            return add_from_record(record, words, all_);
        default:
            return;
        }
    }

  private:
    void take_comm(std::span<const std::int64_t> words) {
        Comm comm;
        if (!from_words(words, comm)) return;
        comm_at_[comm.number] = all_.comms.size();
        all_.comms.push_back(std::move(comm));
    }
    static void take_object(std::span<const std::int64_t> words, std::vector<SharedObject>& list) {
        SharedObject object;
        if (from_words(words, object)) list.push_back(std::move(object));
    }

    Definitions& all_;
    std::unordered_map<std::uint32_t, std::size_t> comm_at_;
};

} // namespace tactus
