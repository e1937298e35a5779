#include "postproc/waits/receive_order.hpp"

#include <algorithm>
#include <utility>

namespace tactus {

void ReceiveOrder::receive(const Receipt& receipt) {
    see_work(receipt.computed);
    const bool was_there = waits_ && receipt.place == waited_.place && receipt.from != waited_.from &&
                           receipt.sent < waited_.sent && std::ranges::find(sent_to_, receipt.from) == sent_to_.end();
    if (was_there) {
        there_ = waited_.sent - std::max(waited_.enter, receipt.sent);
        return;
    }
    end_wait();
    if (receipt.sent <= receipt.enter) return;
    waited_ = receipt;
    waits_ = first_ = true;
}

void ReceiveOrder::take_other(GlobalTime computed) {
    see_work(computed);
    end_wait();
}

void ReceiveOrder::send(std::uint32_t to) {
    if (waits_) sent_to_.push_back(to);
}

void ReceiveOrder::see_work(GlobalTime computed) {
    const GlobalTime work = computed - std::exchange(computed_, computed);
    if (std::exchange(first_, false)) first_work_ = work;
    saved_ += std::min({std::exchange(there_, 0), first_work_, work});
}

void ReceiveOrder::end_wait() {
    if (saved_ > 0) by_place_[waited_.place] += std::min(saved_, waited_.sent - waited_.enter);
    waits_ = first_ = false;
    saved_ = first_work_ = 0;
    sent_to_.clear();
}

std::map<std::uint64_t, GlobalTime> ReceiveOrder::take() {
    end_wait();
    return std::move(by_place_);
}

} // namespace tactus
