// A small JSON emitter for the collector, which cannot bring a JSON library into the application. Pure, single thread.
//   Json j; j.open(); j.field("ranks", 4); j.open("losses"); j.close(); j.close(); j.text()
// The elements of a list, and the outermost object, have empty names.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace tactus {

class Json {
  public:
    Json& open(std::string_view name = {}) { return start(name, '{', '}'); }
    Json& open_list(std::string_view name = {}) { return start(name, '[', ']'); }
    Json& close();
    Json& field(std::string_view name, std::string_view value);
    Json& field(std::string_view name, const char* value) { return field(name, std::string_view{value}); }
    template <std::integral T> Json& field(std::string_view name, T value) {
        key(name);
        if constexpr (std::same_as<T, bool>)
            text_ += value ? "true" : "false";
        else
            text_ += std::to_string(value);
        return *this;
    }
    Json& field(std::string_view name, double value);
    [[nodiscard]] const std::string& text() const { return text_; }

  private:
    Json& start(std::string_view name, char opening, char closing);
    void key(std::string_view name);
    void quote(std::string_view value);

    std::string text_;
    std::string closing_;
    bool first_ = true;
};

} // namespace tactus
