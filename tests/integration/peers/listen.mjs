// Loaded before a foreign server that listens where it likes: it gets a free port of the loopback instead, and says which.
//
//   node --import listen.mjs SERVER [ARG...]
//
// A line on stderr says `listening on PORT`. The server ends with its standard input.

import { Server } from "node:net";

const listen = Server.prototype.listen;
Server.prototype.listen = function (_port, ...more) {
  const ready = more.find((argument) => typeof argument === "function");
  return listen.call(this, { port: 0, host: "127.0.0.1" }, () => {
    process.stderr.write(`listening on ${this.address().port}\n`);
    ready?.();
  });
};

process.stdin.on("end", () => process.exit()).resume();
