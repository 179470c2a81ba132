// The map between a picture's pixels and millimetres on the felt, from four points that are known in both.

/** The 3 × 3 matrix, as nine numbers, that takes each of four points to its partner; null where there is none. */
export function homography(from, to) {
  const rows = from.flatMap(([x, y], n) => {
    const [u, v] = to[n];
    return [
      [x, y, 1, 0, 0, 0, -u * x, -u * y, u],
      [0, 0, 0, x, y, 1, -v * x, -v * y, v],
    ];
  });
  for (let column = 0; column < 8; column += 1) {
    let pivot = column;
    for (let row = column; row < 8; row += 1) if (Math.abs(rows[row][column]) > Math.abs(rows[pivot][column])) pivot = row;
    if (Math.abs(rows[pivot][column]) < 1e-12) return null;
    [rows[column], rows[pivot]] = [rows[pivot], rows[column]];
    for (let row = 0; row < 8; row += 1) {
      if (row === column) continue;
      const factor = rows[row][column] / rows[column][column];
      for (let place = column; place < 9; place += 1) rows[row][place] -= factor * rows[column][place];
    }
  }
  return [...rows.map((row, n) => row[8] / row[n]), 1];
}

/** A point through a matrix. */
export function mapped(matrix, [x, y]) {
  const [a, b, c, d, e, f, g, h, i] = matrix;
  const depth = g * x + h * y + i;
  return [(a * x + b * y + c) / depth, (d * x + e * y + f) / depth];
}
