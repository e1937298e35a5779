// A table that a click into its head sorts. Bars lie behind numbers.
import {make} from "./dom.js";

const orders = new Map(); // order of each table by its id, which stays when the table is made again
const most_rows = 500;

// A column is {title, value(row), text(row), bar(row), color(row), left, wrap, cell(row), hint(row)}: `bar` gives the
// length of a bar from 0 to 1 and `color` its color; `left` aligns to the left, and `wrap` also breaks lines; `cell`
// gives an element in place of text. At first the table is ordered by column `by`. A click into a row calls `run(row)`.
export function table(id, columns, rows, {by = 0, down = true, run = null, caption = ""} = {}) {
    const order = orders.get(id) || {by, down};
    const element = make("table", {id, class: "data"});
    const draw = () =>
        element.replaceChildren(
            caption ? make("caption", {}, caption) : "",
            head(columns, order, choose),
            body(columns, rows, order, run),
        );
    const choose = (column) => {
        if (order.by === column) order.down = !order.down;
        else Object.assign(order, {by: column, down: !is_left(columns[column])});
        orders.set(id, order);
        draw();
        element.querySelectorAll("th button")[column]?.focus();
    };
    draw();
    return rows.length === 0 ? make("p", {class: "dim"}, "none") : element;
}

function is_left({left, wrap}) {
    return Boolean(left || wrap);
}

function head(columns, order, choose) {
    return make(
        "thead",
        {},
        make(
            "tr",
            {},
            columns.map((column, i) =>
                make(
                    "th",
                    {
                        scope: "col",
                        class: is_left(column) ? "left" : "",
                        "aria-sort": order.by === i ? (order.down ? "descending" : "ascending") : "none",
                    },
                    make(
                        "button",
                        {type: "button", on: {click: () => choose(i)}},
                        column.title,
                        order.by === i ? (order.down ? " ▾" : " ▴") : "",
                    ),
                ),
            ),
        ),
    );
}

function compare(one, other) {
    return typeof one === "string"
        ? one.localeCompare(String(other), "en", {numeric: true})
        : (one ?? -Infinity) - (other ?? -Infinity);
}

function body(columns, rows, order, run) {
    const {value} = columns[order.by] || columns[0];
    const sorted = [...rows].sort((one, other) => (order.down ? -1 : 1) * compare(value(one), value(other)));
    const shown = sorted.slice(0, most_rows).map((row) =>
        make(
            "tr",
            run
                ? {
                      class: "pick",
                      tabindex: 0,
                      on: {
                          click: (event) => event.target.closest("button") || run(row),
                          keydown: (event) => {
                              if (event.key !== "Enter" || event.target.closest("button")) return;
                              event.preventDefault();
                              run(row);
                          },
                      },
                  }
                : {},
            columns.map((column) => cell(column, row)),
        ),
    );
    if (rows.length > most_rows)
        shown.push(
            make(
                "tr",
                {},
                make("td", {colspan: columns.length, class: "dim left"}, `and ${rows.length - most_rows} more`),
            ),
        );
    return make("tbody", {}, shown);
}

function cell(column, row) {
    const value = column.value(row),
        content = column.cell ? column.cell(row) : column.text ? column.text(row) : String(value);
    const about = {class: column.wrap ? "left wrap" : column.left ? "left" : "",
        title: column.hint ? column.hint(row) : null};
    const element = make("td", about, content);
    if (column.bar) {
        const share = Math.min(1, Math.max(0, column.bar(row) || 0)) * 100;
        const color = column.color ? column.color(row) : "var(--bar)";
        element.style.background = `linear-gradient(to right, ${color} ${share}%, transparent ${share}%)`;
        element.classList.add("bar");
    }
    return element;
}
