#include "cli/report/report_html.hpp"

#include "cli/format.hpp"
#include "cli/report/html_sections.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>

namespace tactus {
namespace {

using Object = nlohmann::ordered_json;

constexpr const char* page_style = R"(
:root { color-scheme: light dark; --edge: #8884; --bar: #4a8ad433; }
body { font: 14px/1.45 system-ui, sans-serif; margin: 1.5rem auto; max-width: 90rem; padding: 0 1rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin: 1.6rem 0 .4rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .15rem .7rem; border-bottom: 1px solid var(--edge); text-align: right; white-space: nowrap; }
th.text, td.text { text-align: left; max-width: 34rem; overflow: hidden; text-overflow: ellipsis; }
.scroll { overflow-x: auto; } .heat td { padding: 0; width: 1.1rem; height: 1.1rem; min-width: 4px; border: 0; }
.drawing { background: #fff; } .drawing svg { width: 100%; height: auto; } .dim { opacity: .7; }
)";

// Escapes text for HTML, so that any name is shown as it is.
std::string escaped(const std::string& text) {
    std::string out;
    for (const char letter : text) {
        switch (letter) {
        case '&':
            out += "&amp;";
            break;
        case '<':
            out += "&lt;";
            break;
        case '>':
            out += "&gt;";
            break;
        case '"':
            out += "&quot;";
            break;
        default:
            out += letter;
        }
    }
    return out;
}

std::string cell_text(const Object& value, CellKind kind) {
    if (value.is_string()) {
        std::string text = value.get<std::string>();
        if (kind == CellKind::words) std::replace(text.begin(), text.end(), '_', ' ');
        return text;
    }
    if (!value.is_number()) return "";
    switch (kind) {
    case CellKind::count:
        return count_text(value.get<std::uint64_t>());
    case CellKind::seconds:
        return duration_text(value.get<double>());
    case CellKind::share:
        return percent_text(value.get<double>());
    case CellKind::bytes:
        return bytes_text(value.get<std::uint64_t>());
    case CellKind::text:
    case CellKind::words:
        break;
    }
    return fmt::format("{:.4g}", value.get<double>());
}

class Page {
  public:
    explicit Page(const ReportPage& page) : page_{page}, report_{page.report} {}

    std::string text() {
        put("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta "
            "charset=\"utf-8\">\n<title>{}</title>\n<style>{}</style>\n"
            "</head>\n<body>\n<h1>{}</h1>\n",
            escaped(page_.title), page_style, escaped(page_.title));
        head();
        if (!page_.svg.empty())
            put("<h2>Time line</h2>\n<div class=\"drawing\" role=\"img\" aria-label=\"what each rank did over "
                "time\">{}</div>\n",
                page_.svg.substr(std::min(page_.svg.find("<svg"), page_.svg.size())));
        matrix();
        for (const HtmlSection& section : html_sections) table(section);
        nccl();
        problems();
        put("</body>\n</html>\n");
        return std::move(text_);
    }

  private:
    template <class... Values> void put(fmt::format_string<Values...> form, Values&&... values) {
        fmt::format_to(std::back_inserter(text_), form, std::forward<Values>(values)...);
    }
    [[nodiscard]] const Object& at(const Object& row, const char* pointer) const {
        static const Object none;
        const Object::json_pointer member{pointer};
        return row.contains(member) ? row.at(member) : none;
    }

    void head() {
        const auto mpi = report_.at("mpi").get<std::string>();
        put("<p>{} on {}: {} of wall time, {} of the ranks' time in MPI, {} calls.</p>\n",
            escaped(plural(report_.at("ranks_in_run").get<std::uint64_t>(), "rank", "ranks")),
            mpi.empty() ? "no MPI" : escaped(mpi), duration_text(report_.at("wall_s").get<double>()),
            percent_text(report_.at("mpi_share").get<double>()), count_text(report_.at("calls").get<std::uint64_t>()));
        if (!report_.contains("sentences")) return;
        put("<ul>\n");
        const Object& sentences = report_.at("sentences");
        for (const auto& [about, sentence] : sentences.items()) {
            const bool repeated = (about == "loss" || about == "cores") && sentence == sentences.at("finding");
            if (sentence.get<std::string>().empty() || repeated) continue;
            const bool needs_name = about == "clock" || about == "time" || about == "efficiency";
            put("<li>{}{}</li>\n", needs_name ? about + ": " : "", escaped(sentence.get<std::string>()));
        }
        put("</ul>\n");
    }

    void table(const HtmlSection& section) {
        constexpr std::size_t most = 100;
        const Object* const rows = &at(report_, (std::string{"/"} + section.key).c_str());
        if (!rows->is_array() || rows->empty()) return;
        put("<h2>{}</h2>\n<div class=\"scroll\"><table>\n<tr>", section.title);
        for (const HtmlColumn& column : section.columns)
            put("<th scope=\"col\"{}>{}</th>", column.kind <= CellKind::words ? " class=\"text\"" : "", column.title);
        put("</tr>\n");
        for (std::size_t i = 0; i < rows->size() && i < most; ++i) {
            put("<tr>");
            for (const HtmlColumn& column : section.columns)
                put("<td{}>{}</td>", column.kind <= CellKind::words ? " class=\"text\"" : "",
                    escaped(cell_text(at((*rows)[i], column.pointer), column.kind)));
            put("</tr>\n");
        }
        put("</table></div>\n");
        if (rows->size() > most)
            put("<p class=\"dim\">and {} more (tactus report --json has all)</p>\n", rows->size() - most);
    }

    // Shows how many bytes each rank sent to each other, unless there are too many ranks to see anything.
    void matrix() {
        constexpr std::uint64_t most_ranks = 128;
        const std::uint64_t ranks = report_.at("ranks_in_run").get<std::uint64_t>();
        if (ranks > most_ranks || report_.at("messages").empty()) return;
        std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> bytes;
        std::uint64_t most = 1;
        for (const Object& pair : report_.at("messages")) {
            std::uint64_t& sum = bytes[{pair.at("from").get<std::uint64_t>(), pair.at("to").get<std::uint64_t>()}];
            sum += pair.at("bytes").get<std::uint64_t>();
            most = std::max(most, sum);
        }
        put("<h2>Bytes from rank (down) to rank (across)</h2>\n<div class=\"scroll\"><table class=\"heat\">\n");
        for (std::uint64_t from = 0; from < ranks; ++from) {
            put("<tr>");
            for (std::uint64_t to = 0; to < ranks; ++to) {
                const auto known = bytes.find({from, to});
                if (known == bytes.end())
                    put("<td></td>");
                else
                    put("<td title=\"{} to {}: {}\" style=\"background: rgba(200, 80, 20, {:.2f})\"></td>", from, to,
                        bytes_text(known->second),
                        0.15 + 0.85 * static_cast<double>(known->second) / static_cast<double>(most));
            }
            put("</tr>\n");
        }
        put("</table></div>\n");
    }

    void nccl() {
        const Object& known = at(report_, "/nccl");
        if (!known.is_object()) return;
        put("<p class=\"dim\">NCCL: {} of {} matched across ranks; {}.</p>\n",
            count_text(known.at("matched").get<std::uint64_t>()), count_text(known.at("parts").get<std::uint64_t>()),
            escaped(known.at("within").get<std::string>()));
    }

    void problems() {
        put("<h2>Losses and problems</h2>\n<ul>\n");
        bool any = false;
        for (const auto& [name, count] : report_.at("losses").items()) {
            if (count == 0) continue;
            any = true;
            put("<li>{}: {}</li>\n", escaped(name), count_text(count.get<std::uint64_t>()));
        }
        for (const Object& problem : report_.at("problems")) {
            any = true;
            put("<li>{}</li>\n", escaped(problem.get<std::string>()));
        }
        if (const Object& spawned = at(report_, "/spawned"); spawned.is_string()) {
            any = true;
            put("<li>{}</li>\n", escaped(spawned.get<std::string>()));
        }
        put("{}</ul>\n", any ? "" : "<li>none</li>\n");
    }

    const ReportPage& page_;
    const Object& report_;
    std::string text_;
};

} // namespace

std::string report_html(const ReportPage& page) { return Page{page}.text(); }

} // namespace tactus
