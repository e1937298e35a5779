/* Completes requests at random. Whether a Test finds something is chance, and does not affect the results. */
#include "requests.hpp"

#include <algorithm>
#include <cstring>
#include <sched.h>

namespace {

MPI_Status filled_status() {
    MPI_Status status;
    std::memset(&status, 0x5b, sizeof status);
    return status;
}

void check_empty(const MPI_Status& status) {
    int count = -1, cancelled = 1;
    must(MPI_Get_count(&status, MPI_BYTE, &count));
    must(MPI_Test_cancelled(&status, &cancelled));
    require(status.MPI_SOURCE == MPI_ANY_SOURCE && status.MPI_TAG == MPI_ANY_TAG && count == 0 && !cancelled,
            "the status of a null or inactive request is not empty");
}

void accept(Pending& pending, const MPI_Status* status) {
    require(pending.persistent == (pending.request != MPI_REQUEST_NULL), "wrong handle after completion");
    if (pending.done) {
        if (status != nullptr) check_empty(*status);
        return;
    }
    pending.done = true;
    pending.completed(status);
}

bool may_ignore(const std::vector<Pending*>& chosen) {
    const bool needed = std::ranges::any_of(chosen, [](Pending* p) { return p->needs_status && !p->done; });
    return !needed && here.choice.coin();
}

/* The chosen requests as the array that MPI needs. They are written back at the end. */
class Handles {
  public:
    explicit Handles(std::vector<Pending*>& chosen) : chosen_(chosen) {
        for (Pending* pending : chosen) list_.push_back(pending->request);
    }
    void write_back() {
        for (std::size_t i = 0; i < list_.size(); i++) chosen_[i]->request = list_[i];
    }
    int size() const { return static_cast<int>(list_.size()); }
    MPI_Request* data() { return list_.data(); }

  private:
    std::vector<Pending*>& chosen_;
    std::vector<MPI_Request> list_;
};

bool none_active(const std::vector<Pending*>& chosen) {
    return std::ranges::all_of(chosen, [](Pending* p) { return p->done; });
}

} // namespace

Pending& Pool::add(Pending pending) { return *entries_.emplace_back(std::make_unique<Pending>(std::move(pending))); }

Pool::Chosen Pool::part(int up_to_position) {
    Chosen chosen;
    const int chance = here.choice.between(1, 3);
    for (auto& entry : entries_)
        if ((entry->position <= up_to_position || entry->done) && here.choice.one_in(chance))
            chosen.push_back(entry.get());
    if (here.choice.coin()) here.choice.shuffle(chosen);
    return chosen;
}

void Pool::complete(Chosen& chosen, bool wait) {
    constexpr void (Pool::*variants[])(Chosen&, bool) = {&Pool::one, &Pool::all, &Pool::any, &Pool::some};
    const int variant = here.choice.below(4);
    if (variant >= 2) std::erase_if(chosen, [](Pending* pending) { return pending->nobody; });
    (this->*variants[variant])(chosen, wait);
    if (!wait) sched_yield();
}

void Pool::one(Chosen& chosen, bool wait) {
    if (chosen.empty()) return;
    Chosen single{here.choice.pick(chosen)};
    Pending& pending = *single[0];
    const bool ignore = may_ignore(single);
    MPI_Status status = filled_status();
    MPI_Status* given = ignore ? MPI_STATUS_IGNORE : &status;
    int flag = 1;
    if (wait)
        must(MPI_Wait(&pending.request, given));
    else
        must(MPI_Test(&pending.request, &flag, given));
    if (flag) accept(pending, ignore ? nullptr : &status);
}

void Pool::any(Chosen& chosen, bool wait) {
    const bool ignore = may_ignore(chosen), idle = none_active(chosen);
    Handles handles(chosen);
    MPI_Status status = filled_status();
    MPI_Status* given = ignore ? MPI_STATUS_IGNORE : &status;
    int index = -1, flag = 1;
    if (wait)
        must(MPI_Waitany(handles.size(), handles.data(), &index, given));
    else
        must(MPI_Testany(handles.size(), handles.data(), &index, &flag, given));
    handles.write_back();
    require(idle == (flag && index == MPI_UNDEFINED), "UNDEFINED is for no active request and nothing else");
    if (idle && wait && !ignore) check_empty(status); // MPICH's Testany does not write the status here
    if (flag && !idle) accept(*chosen[static_cast<std::size_t>(index)], ignore ? nullptr : &status);
}

void Pool::some(Chosen& chosen, bool wait) {
    const bool ignore = may_ignore(chosen), idle = none_active(chosen);
    Handles handles(chosen);
    std::vector<MPI_Status> statuses(chosen.size() + 1, filled_status());
    std::vector<int> indices(chosen.size() + 1);
    MPI_Status* given = ignore ? MPI_STATUSES_IGNORE : statuses.data();
    int done = -1;
    if (wait)
        must(MPI_Waitsome(handles.size(), handles.data(), &done, indices.data(), given));
    else
        must(MPI_Testsome(handles.size(), handles.data(), &done, indices.data(), given));
    handles.write_back();
    require(idle == (done == MPI_UNDEFINED), "UNDEFINED is for no active request and nothing else");
    require(!wait || idle || done > 0, "Waitsome found nothing");
    for (std::size_t i = 0; !idle && i < static_cast<std::size_t>(done); i++)
        accept(*chosen[static_cast<std::size_t>(indices[i])], ignore ? nullptr : &statuses[i]);
}

void Pool::all(Chosen& chosen, bool wait) {
    const bool ignore = may_ignore(chosen);
    Handles handles(chosen);
    std::vector<MPI_Status> statuses(chosen.size() + 1, filled_status());
    MPI_Status* given = ignore ? MPI_STATUSES_IGNORE : statuses.data();
    int flag = 1;
    if (wait)
        must(MPI_Waitall(handles.size(), handles.data(), given));
    else
        must(MPI_Testall(handles.size(), handles.data(), &flag, given));
    handles.write_back();
    for (std::size_t i = 0; flag && i < chosen.size(); i++) accept(*chosen[i], ignore ? nullptr : &statuses[i]);
}

/* A request that has a status is complete, so the Test after it must find it. In MPICH 4.2 a persistent request is
 * inactive then. */
void Pool::get_status() {
    if (entries_.empty()) return;
    Pending& pending = *here.choice.pick(entries_);
#if defined MPICH_NUMVERSION && MPICH_NUMVERSION >= 40200000
    if (pending.persistent) return;
#endif
    MPI_Status status = filled_status(), again = filled_status();
    int flag = 0;
    const bool ignore = here.choice.coin();
    must(MPI_Request_get_status(pending.request, &flag, ignore ? MPI_STATUS_IGNORE : &status));
    require(flag || !pending.done, "no status of a null or inactive request");
    if (flag && !ignore && pending.done) check_empty(status);
    if (!flag || pending.done) return;
    must(MPI_Test(&pending.request, &flag, &again));
    require(flag, "Request_get_status says done and Test says not");
    accept(pending, &again);
}

void Pool::look() {
    if (here.choice.one_in(4)) return get_status();
    Chosen chosen = part(at_the_end);
    complete(chosen, false);
}

void Pool::wait_for_some(int position) {
    Chosen chosen = part(position);
    complete(chosen, true);
}

void Pool::finish_last() {
    Chosen last{entries_.back().get()};
    while (!last[0]->done) complete(last, here.choice.coin());
}

void Pool::finish() {
    auto under_way = [&] { return std::ranges::any_of(entries_, [](auto& entry) { return !entry->done; }); };
    while (under_way()) {
        if (here.choice.one_in(3)) get_status();
        Chosen chosen = part(at_the_end);
        complete(chosen, here.choice.coin());
    }
    if (here.choice.one_in(3)) wait_for_some(at_the_end);
}

void Pool::start_again() {
    std::vector<MPI_Request> requests;
    for (auto& entry : entries_) {
        if (!entry->persistent) continue;
        entry->done = false;
        requests.push_back(entry->request);
    }
    if (here.choice.coin())
        must(MPI_Startall(static_cast<int>(requests.size()), requests.data()));
    else
        for (MPI_Request& request : requests) must(MPI_Start(&request));
}

void Pool::free_persistent() {
    for (auto& entry : entries_)
        if (entry->persistent) must(MPI_Request_free(&entry->request));
    std::erase_if(entries_, [](auto& entry) { return entry->done; });
}
