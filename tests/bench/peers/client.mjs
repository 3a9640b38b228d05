// The official TypeScript client at work: one order per line of standard input, one report per line of standard output.
//
//   SONDE_PEERS=FOLDER node client.mjs COMMAND [ARG...]
//   SONDE_PEERS=FOLDER node client.mjs --url URL
//
// An order is {"do":"echo","calls":N}, {"do":"burst","calls":N} (all at once) or {"do":"flood","count":N,"size":BYTES};
// a report is {"cpu":SECONDS}, the time of this process alone.

import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";

const packages = createRequire(join(process.env.SONDE_PEERS, "package.json"));
const { Client, StreamableHTTPClientTransport } = packages("@modelcontextprotocol/client");
const { StdioClientTransport } = packages("@modelcontextprotocol/client/stdio");

const [command, ...args] = process.argv.slice(2);
const client = new Client({ name: "typescript", version: "1.0.0" });
const transport =
  command === "--url" ? new StreamableHTTPClientTransport(new URL(args[0])) : new StdioClientTransport({ command, args });
await client.connect(transport);

let logged = 0;
let awaited = { count: Infinity, reached: () => {} };
client.setNotificationHandler("notifications/message", () => {
  logged += 1;
  if (logged >= awaited.count) awaited.reached();
});

const call = (name, args) => client.callTool({ name, arguments: args });
const orders = {
  async echo({ calls }) {
    for (let n = 0; n < calls; n += 1) await call("echo", { text: "the same few words, over and over" });
  },
  async burst({ calls }) {
    await Promise.all(Array.from({ length: calls }, () => call("echo", { text: "one of many" })));
  },
  async flood({ count, size }) {
    const all = new Promise((reached) => (awaited = { count: logged + count, reached }));
    await client.callTool({ name: "flood", arguments: { count, size } }, { timeout: 600_000 });
    await all;
  },
};

console.log(JSON.stringify({ cpu: 0 }));
for await (const line of createInterface({ input: process.stdin })) {
  const order = JSON.parse(line);
  const before = process.cpuUsage();
  await orders[order.do](order);
  const { user, system } = process.cpuUsage(before);
  console.log(JSON.stringify({ cpu: (user + system) / 1e6 }));
}
await client.close();
