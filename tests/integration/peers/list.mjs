// A second, independent client: the official TypeScript SDK lists all that a server offers.
//
//   SONDE_PEERS=FOLDER node list.mjs [--capabilities JSON] [--protocol REVISION] -- COMMAND [ARG...]
//   SONDE_PEERS=FOLDER node list.mjs [--capabilities JSON] [--protocol REVISION] --url URL --transport http|sse
//
// Prints one JSON object: a list of each kind, or the error that the server gave instead. The SDK connects, pages
// and ends; the entries are taken from the messages as they came, because the SDK may drop members it does not know.

import { createRequire } from "node:module";
import { join } from "node:path";
import { parseArgs } from "node:util";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    capabilities: { type: "string", default: "{}" },
    protocol: { type: "string" },
    url: { type: "string" },
    transport: { type: "string" },
  },
});
const [command, ...args] = positionals;
const packages = createRequire(join(process.env.SONDE_PEERS, "package.json"));
const { Client, SSEClientTransport, StreamableHTTPClientTransport } = packages("@modelcontextprotocol/client");
const { StdioClientTransport } = packages("@modelcontextprotocol/client/stdio");

const client = new Client(
  { name: "second-client", version: "1.0.0" },
  {
    capabilities: JSON.parse(values.capabilities),
    ...(values.protocol && { supportedProtocolVersions: [values.protocol] }),
  },
);
const remote = values.transport === "sse" ? SSEClientTransport : StreamableHTTPClientTransport;
const transport = values.url
  ? new remote(new URL(values.url))
  : new StdioClientTransport({ command, args, stderr: "ignore" });
await client.connect(transport);

const results = [];
const deliver = transport.onmessage;
transport.onmessage = (message, ...more) => {
  if (message.result) results.push(structuredClone(message.result));
  deliver(message, ...more);
};

const declared = client.getServerCapabilities() ?? {};
const lists = {};
for (const [key, capability, list] of [
  ["tools", "tools", () => client.listTools()],
  ["resources", "resources", () => client.listResources()],
  ["resourceTemplates", "resources", () => client.listResourceTemplates()],
  ["prompts", "prompts", () => client.listPrompts()],
]) {
  // The SDK answers for a server that did not declare a capability, so it is not asked.
  if (!declared[capability]) continue;
  results.length = 0;
  try {
    const understood = await list();
    lists[key] = results.flatMap((result) => result[key] ?? []);
    if (understood[key].length !== lists[key].length) throw new Error(`the SDK lists ${understood[key].length} ${key}`);
  } catch (error) {
    lists[key] = { error: { code: error.code, message: error.message } };
  }
}
const protocol = client.getNegotiatedProtocolVersion?.();
await client.close();
console.log(JSON.stringify({ protocol, ...lists }));
