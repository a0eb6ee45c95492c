"use strict";
(() => {
	const rows = [...document.querySelectorAll("#rows tbody tr")];
	const tiles = [...document.querySelectorAll(".tile")];
	const all = document.getElementById("all");
	const status = document.getElementById("status");
	let pressed = null; // the tile or button whose documents are shown

	// press shows the rows that are wanted, or all of them if by is pressed already.
	const press = (by, wanted) => {
		pressed?.setAttribute("aria-pressed", "false");
		pressed = by === pressed ? null : by;
		pressed?.setAttribute("aria-pressed", "true");
		let shown = 0;
		rows.forEach((row, i) => {
			row.hidden = pressed !== null && !wanted(row, i);
			shown += row.hidden ? 0 : 1;
		});
		all.hidden = pressed === null;
		status.textContent = `${shown.toLocaleString("en")} of ${rows.length.toLocaleString("en")} shown`;
	};
	const pick = (tile) => press(tile, (_, i) => i === Number(tile.dataset.row));
	const move = (from, to) => {
		from.tabIndex = -1;
		to.tabIndex = 0;
		to.focus();
	};

	tiles.forEach((tile, i) => {
		tile.addEventListener("click", () => pick(tile));
		tile.addEventListener("keydown", (event) => {
			const next = { ArrowRight: i + 1, ArrowDown: i + 1, ArrowLeft: i - 1, ArrowUp: i - 1, Home: 0, End: tiles.length - 1 };
			if (event.key === "Enter" || event.key === " ") pick(tile);
			else if (tiles[next[event.key]]) move(tiles.find((t) => t.tabIndex === 0), tiles[next[event.key]]);
			else return;
			event.preventDefault();
		});
	});
	for (const button of document.querySelectorAll("[data-show]")) {
		button.addEventListener("click", () => press(button, (row) => row.className === button.dataset.show));
	}
	all.addEventListener("click", () => press(null));
	document.addEventListener("keydown", (event) => {
		if (event.key === "Escape") press(null);
	});
	press(null);
})();
