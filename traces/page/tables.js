"use strict";
for (const button of document.querySelectorAll("th button")) {
  button.addEventListener("click", () => {
    const head = button.parentElement;
    const body = head.closest("table").tBodies[0];
    const place = head.cellIndex;
    const down = head.getAttribute("aria-sort") === "ascending";
    for (const other of head.parentElement.cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const value = (row) => row.cells[place].dataset.value ?? row.cells[place].textContent;
    const order = new Intl.Collator(undefined, { numeric: true });
    const rows = [...body.rows];
    rows.sort((one, other) => {
      const [left, right] = [value(one), value(other)];
      const difference = left !== "" && right !== "" ? left - right : NaN;
      const found = Number.isNaN(difference) ? order.compare(left, right) : difference;
      return down ? -found : found;
    });
    body.append(...rows);
  });
}
