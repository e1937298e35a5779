#include "cli/viewer/drawing.hpp"

#include "cli/viewer/axis.hpp"
#include "cli/viewer/colors.hpp"

#include <algorithm>
#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <cairo.h>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <optional>
#include <utility>

namespace tactus {
namespace {

constexpr double margin = 12;
constexpr double title_height = 26;
constexpr double axis_height = 24;
constexpr double letters = 11; // height of letters
constexpr double legend_line = 18;
constexpr Color ink{16, 20, 27};
constexpr Color pale{96, 106, 120};
constexpr Color message_line{20, 24, 32};
constexpr Color path_line{194, 24, 91};
constexpr Color no_core_line{200, 48, 32};

struct EndSurface {
    void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
};
struct EndPen {
    void operator()(cairo_t* pen) const { cairo_destroy(pen); }
};
using Surface = std::unique_ptr<cairo_surface_t, EndSurface>;

// Returns the width of the rows' names. Very long names are cut off.
double label_width(const std::vector<ViewRow>& rows) {
    constexpr double letter = 6.2;
    std::size_t longest = 0;
    for (const ViewRow& row : rows) longest = std::max(longest, row.name.size());
    return std::clamp(letter * static_cast<double>(longest) + letters, 110.0, 230.0);
}

double row_height(std::size_t rows) { return rows <= 16 ? 30 : rows <= 64 ? 16 : rows <= 256 ? 6 : 3; }

// A function, and its share of the time of all rows.
struct Share {
    std::string name;
    double share = 0;
};
std::vector<Share> shares_of(const Pictured& of) {
    constexpr std::size_t most = 24;
    std::map<std::uint32_t, GlobalTime> times;
    GlobalTime all = 0;
    for (const auto& slot : of.view.totals)
        for (const SlotEntry& entry : slot) {
            times[entry.function] += entry.time;
            all += entry.time;
        }
    std::vector<Share> shares;
    for (const auto& [function, time] : times)
        shares.push_back(
            {of.names.name(function), static_cast<double>(time) / static_cast<double>(std::max<GlobalTime>(all, 1))});
    std::stable_sort(shares.begin(), shares.end(), [](const Share& a, const Share& b) { return a.share > b.share; });
    if (shares.size() > most) shares.resize(most);
    return shares;
}

// How long threads had no core, as a share of the time of all rows, like those of functions. Empty where nothing is
// hatched.
std::optional<double> no_core_share_of(const Pictured& of) {
    double slots = 0; // of threads
    bool hatched = false;
    for (std::size_t row = 0; row < of.view.no_core.size(); ++row) {
        const auto row_threads = static_cast<double>(of.request.rows[row].lines.size());
        for (const NoCoreSlot& slot : of.view.no_core[row]) {
            slots += row_threads * slot.share;
            hatched = hatched || slot.share >= NoCoreSlot::hatched;
        }
    }
    if (!hatched) return {};
    GlobalTime all = 0;
    for (const auto& slot : of.view.totals)
        for (const SlotEntry& entry : slot) all += entry.time;
    return std::ldexp(slots, static_cast<int>(of.view.width_bits)) / static_cast<double>(std::max<GlobalTime>(all, 1));
}

class Drawer {
  public:
    Drawer(const Pictured& of, const Drawing& drawing)
        : of_{of}, drawing_{drawing}, from_{seconds(of.request.from)}, to_{seconds(of.request.to)},
          row_{row_height(of.request.rows.size())},
          label_width_{label_width(of.request.rows)}, width_{static_cast<double>(pixels_of(drawing, of.request.rows))},
          shares_{shares_of(of)}, no_core_{no_core_share_of(of)} {}

    [[nodiscard]] double height() const {
        return legend_top() + legend_line * static_cast<double>(legend_lines()) + margin;
    }

    void run(cairo_t* pen) {
        pen_ = pen;
        set({255, 255, 255});
        cairo_paint(pen_);
        cairo_select_font_face(pen_, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
        title();
        axis();
        cairo_save(pen_);
        cairo_rectangle(pen_, left(), rows_top(), width(), rows_bottom() - rows_top());
        cairo_clip(pen_);
        for (std::size_t row = 0; row < of_.view.rows.size(); ++row) slots(row);
        no_core();
        waits();
        collectives();
        messages();
        critical_path();
        cairo_restore(pen_);
        labels();
        legend();
    }

  private:
    [[nodiscard]] double seconds(GlobalTime time) const { return 1e-9 * ns_from(of_.trace.zero, time); }
    [[nodiscard]] double left() const { return margin + label_width_; }
    [[nodiscard]] double width() const { return width_; }
    [[nodiscard]] static double rows_top() { return margin + title_height + axis_height; }
    [[nodiscard]] double rows_bottom() const { return top_of(of_.request.rows.size()); }
    [[nodiscard]] double top_of(std::size_t row) const { return rows_top() + row_ * static_cast<double>(row); }
    [[nodiscard]] double middle_of(std::size_t row) const { return top_of(row) + row_ / 2; }
    [[nodiscard]] double legend_top() const { return rows_bottom() + 2 * margin; }
    [[nodiscard]] std::size_t legend_columns() const {
        return std::max<std::size_t>(1, static_cast<std::size_t>(drawing_.width / 230));
    }
    [[nodiscard]] std::size_t legend_lines() const {
        return (shares_.size() + (no_core_ ? 1 : 0) + legend_columns() - 1) / legend_columns();
    }
    [[nodiscard]] double x_of(double time_s) const { return left() + (time_s - from_) / (to_ - from_) * width(); }
    [[nodiscard]] double x_at(GlobalTime time) const { return x_of(seconds(time)); }

    void set(Color color, double alpha = 1) {
        cairo_set_source_rgba(pen_, color.red / 255.0, color.green / 255.0, color.blue / 255.0, alpha);
    }
    // Writes a text, and cuts it off if it is wider than `most`.
    void write(double x, double y, std::string text, double most, double size = letters) {
        cairo_set_font_size(pen_, size);
        cairo_text_extents_t room;
        cairo_text_extents(pen_, text.c_str(), &room);
        while (room.x_advance > most && text.size() > 1) {
            do text.pop_back();
            while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xC0) == 0x80);
            cairo_text_extents(pen_, (text + "…").c_str(), &room);
            if (room.x_advance <= most || text.empty()) text += "…";
        }
        cairo_move_to(pen_, x, y);
        cairo_show_text(pen_, text.c_str());
    }
    void fill(double x, double y, double w, double h) {
        cairo_rectangle(pen_, x, y, w, h);
        cairo_fill(pen_);
    }

    void title() {
        set(ink);
        write(margin, margin + 14, drawing_.title, drawing_.width - 2 * margin, 14);
    }
    void axis() {
        const Axis axis = axis_between(from_, to_, width());
        set(pale);
        cairo_set_line_width(pen_, 0.5);
        for (const Axis::Mark& mark : axis.marks) {
            const double x = x_of(mark.time_s);
            cairo_move_to(pen_, x, rows_top() - 5);
            cairo_line_to(pen_, x, rows_bottom());
            cairo_stroke(pen_);
            constexpr double room = 70;
            if (x + room < drawing_.width) write(x + 3, rows_top() - 8, mark.text, room);
        }
    }
    void slots(std::size_t row) {
        for (const FunctionSlot& slot : of_.view.rows[row]) {
            const GlobalTime begin =
                slot.span ? slot.span->begin : (of_.view.first + slot.first) << of_.view.width_bits;
            const GlobalTime end = slot.span ? slot.span->end : (of_.view.first + slot.last + 1) << of_.view.width_bits;
            const double x = std::max(x_at(begin), left());
            const double w = std::min(x_at(end), left() + width()) - x;
            if (w <= 0) continue;
            const std::string name = of_.names.name(slot.function);
            const Color color = color_of(name);
            set(color);
            fill(x, top_of(row), w, row_ - (row_ > 8 ? 1 : 0));
            if (!slot.span || w < 40 || row_ < 14 || slot.function == span_function::application) continue;
            set(ink_on(color));
            write(x + 4, middle_of(row) + 4, name, w - 8);
        }
    }
    // In the upper half of rows; that of waits is the lower half.
    void no_core() {
        const double slot_px = width() * to_ns(GlobalTime{1} << of_.view.width_bits) * 1e-9 / (to_ - from_);
        for (std::size_t row = 0; row < of_.view.no_core.size(); ++row) {
            const std::vector<NoCoreSlot>& slots = of_.view.no_core[row];
            for (std::size_t i = 0; i < slots.size(); ++i) {
                const std::size_t first = i;
                if (slots[first].share < NoCoreSlot::hatched) continue;
                while (i + 1 < slots.size() && slots[i + 1].slot == slots[i].slot + 1 &&
                       slots[i + 1].share >= NoCoreSlot::hatched)
                    ++i;
                const double x = x_at((of_.view.first + slots[first].slot) << of_.view.width_bits);
                hatch_no_core(x, top_of(row), slot_px * (slots[i].slot - slots[first].slot + 1), row_ / 2);
            }
        }
    }
    // The lines lean to the left, those of waits to the right.
    void hatch_no_core(double x, double y, double w, double h) {
        constexpr double between = 7;
        cairo_save(pen_);
        cairo_rectangle(pen_, x, y, w, h);
        cairo_clip(pen_);
        const double first = std::floor((x - h) / between) * between; // the same grid for all pieces
        for (const double aside : {1.3, 0.0}) {
            set(aside > 0 ? Color{255, 255, 255} : no_core_line);
            cairo_set_line_width(pen_, 1.4);
            for (double at = first; at < x + w; at += between) {
                cairo_move_to(pen_, at + aside, y);
                cairo_line_to(pen_, at + aside + h, y + h);
            }
            cairo_stroke(pen_);
        }
        cairo_restore(pen_);
    }
    void waits() {
        if (of_.request.most_links == 0) return;
        set({0, 0, 0}, 0.45);
        cairo_set_line_width(pen_, 1);
        for (const LinkSum& wait : of_.view.links[static_cast<std::size_t>(LinkKind::wait)].sums) {
            const double x = x_at(wait.first());
            const double w = x_at(wait.last()) - x;
            if (w < 2) continue;
            cairo_save(pen_);
            const double top = middle_of(wait.source);
            cairo_rectangle(pen_, x, top, w, row_ / 2 - 1);
            cairo_clip(pen_);
            const double first = std::max(x, left()) - row_;
            for (double at = first; at < std::min(x + w, left() + width()); at += 5) {
                cairo_move_to(pen_, at, top + row_ / 2);
                cairo_line_to(pen_, at + row_ / 2, top);
            }
            cairo_stroke(pen_);
            cairo_restore(pen_);
        }
    }
    void collectives() {
        if (of_.request.most_links == 0) return;
        constexpr double bar = 4;
        for (const LinkSum& link_sum : of_.view.links[static_cast<std::size_t>(LinkKind::collective)].sums) {
            set(link_sum.what ? color_of(of_.names.name(span_function::of(static_cast<Function>(*link_sum.what))))
                              : pale);
            const double x = x_at(link_sum.first());
            fill(x, rows_top(), std::max(1.0, x_at(link_sum.last()) - x), bar);
        }
    }
    void messages() {
        if (of_.request.most_links == 0) return;
        for (const LinkSum& message : of_.view.links[static_cast<std::size_t>(LinkKind::message)].sums) {
            if (message.source == message.target) continue;
            const double share = std::min(1.0, std::log2(1.0 + static_cast<double>(message.count)) / 10);
            set(message_line, 0.35 + 0.5 * share);
            cairo_set_line_width(pen_, 0.6 + 1.4 * share);
            cairo_move_to(pen_, x_at(message.mean_from()), middle_of(message.source));
            cairo_line_to(pen_, x_at(message.mean_to()), middle_of(message.target));
            cairo_stroke(pen_);
        }
    }
    void critical_path() {
        std::map<std::uint32_t, std::size_t> rows; // by rank
        for (std::size_t row = 0; row < of_.request.rows.size(); ++row)
            for (const std::size_t line : of_.request.rows[row].lines)
                rows.try_emplace(of_.time_line.rank_of(of_.time_line.lines()[line]), row);
        set(path_line);
        cairo_set_line_width(pen_, 2);
        bool began = false;
        for (const PathPiece& piece : drawing_.path) {
            const auto row = rows.find(piece.rank);
            if (row == rows.end() || piece.to < of_.request.from || piece.from > of_.request.to) continue;
            const double y = middle_of(row->second);
            (began ? cairo_line_to : cairo_move_to)(pen_, x_at(piece.from), y);
            cairo_line_to(pen_, x_at(piece.to), y);
            began = true;
        }
        cairo_stroke(pen_);
    }
    void labels() {
        const auto every = static_cast<std::size_t>(std::ceil((letters + 2) / row_));
        set(ink);
        for (std::size_t row = 0; row < of_.request.rows.size(); row += every)
            write(margin, top_of(row) + std::max(row_ / 2 + 4, letters), of_.request.rows[row].name, label_width_ - 8);
    }
    void legend() {
        for (std::size_t i = 0; i < shares_.size(); ++i) {
            const auto [x, y] = legend_place(i);
            set(color_of(shares_[i].name));
            fill(x, y, 10, 10);
            legend_text(i, fmt::format("{} {:.1f} %", shares_[i].name, 100 * shares_[i].share));
        }
        if (!no_core_) return;
        const auto [x, y] = legend_place(shares_.size());
        hatch_no_core(x, y, 10, 10);
        legend_text(shares_.size(), fmt::format("had no core {:.1f} %", 100 * *no_core_));
    }
    [[nodiscard]] double legend_column() const {
        return (drawing_.width - 2 * margin) / static_cast<double>(legend_columns());
    }
    [[nodiscard]] std::pair<double, double> legend_place(std::size_t i) const {
        const std::size_t line = i / legend_columns();
        return {margin + legend_column() * static_cast<double>(i % legend_columns()),
                legend_top() + legend_line * static_cast<double>(line)};
    }
    void legend_text(std::size_t i, const std::string& text) {
        const auto [x, y] = legend_place(i);
        set(ink);
        write(x + 15, y + 9, text, legend_column() - 20);
    }

    const Pictured& of_;
    const Drawing& drawing_;
    double from_;
    double to_;
    double row_;
    double label_width_;
    double width_; // of the rows without their names
    std::vector<Share> shares_;
    std::optional<double> no_core_; // share of the time of all threads; empty: nothing is hatched
    cairo_t* pen_ = nullptr;
};

cairo_status_t append(void* to, const unsigned char* bytes, unsigned length) {
    static_cast<std::string*>(to)->append(reinterpret_cast<const char*>(bytes), length);
    return CAIRO_STATUS_SUCCESS;
}

Surface surface_for(const Drawing& drawing, double height, std::string& out) {
    switch (drawing.format) {
    case DrawingFormat::svg:
        return Surface{cairo_svg_surface_create_for_stream(append, &out, drawing.width, height)};
    case DrawingFormat::pdf:
        return Surface{cairo_pdf_surface_create_for_stream(append, &out, drawing.width, height)};
    case DrawingFormat::png:
        break;
    }
    return Surface{cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(drawing.width),
                                              static_cast<int>(std::ceil(height)))};
}

} // namespace

bool can_draw() { return true; }

std::uint32_t pixels_of(const Drawing& drawing, const std::vector<ViewRow>& rows) {
    return static_cast<std::uint32_t>(std::max(50.0, drawing.width - label_width(rows) - 2 * margin));
}

Result<std::string> draw(const Pictured& pictured, const Drawing& drawing) {
    std::string bytes; // must outlive the surface, which writes to it
    Drawer drawer{pictured, drawing};
    const Surface surface = surface_for(drawing, drawer.height(), bytes);
    {
        const std::unique_ptr<cairo_t, EndPen> pen{cairo_create(surface.get())};
        drawer.run(pen.get());
    }
    cairo_status_t status = cairo_surface_status(surface.get());
    if (status == CAIRO_STATUS_SUCCESS && drawing.format == DrawingFormat::png)
        status = cairo_surface_write_to_png_stream(surface.get(), append, &bytes);
    cairo_surface_finish(surface.get());
    if (status == CAIRO_STATUS_SUCCESS) status = cairo_surface_status(surface.get());
    if (status == CAIRO_STATUS_SUCCESS) return bytes;
    return Error{.what = std::string{"the picture cannot be drawn: "} + cairo_status_to_string(status)};
}

} // namespace tactus
