// A seat as a program in Node that is kept: it counts its turns, and hands each on.
// With `keep = true` under [live.SEAT], and command = ["node", "examples/seat.mjs"].
import { createInterface } from "node:readline";

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const next = async () => JSON.parse((await lines.next()).value ?? "null");
const say = (value) => process.stdout.write(JSON.stringify(value) + "\n");

let turns = 0;
for (let turn = await next(); turn !== null; turn = await next()) {
  turns += 1;
  const from = turn.trigger?.author;
  const to = from?.type === "agent" ? `@${from.id} ` : "";
  say({ call: "desk_post", arguments: { message: `${to}this is my turn number ${turns}` } });
  await next();
  say({ end: "" });
}
