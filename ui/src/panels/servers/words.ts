import type { ServerSummary } from '../../backend/bindings';
import { duration } from '../../components/format';
import { layerWords } from '../../model/arrangement';
import { serverStatus, type Status } from '../status';

/** A server's state as the list shows it: one that is switched off is neither well nor ill. */
export function listStatus(server: ServerSummary): Status {
  if (!server.enabled && server.state === 'stopped') return { glyph: '⊘', word: 'disabled', tone: 'dim' };
  if (server.flaw?.severity === 'error' && server.state === 'stopped')
    return { glyph: '▲', word: 'can’t be started', tone: 'err' };
  if (server.retry !== null) return { glyph: '↻', word: 'retrying', tone: 'warn' };
  return serverStatus[server.state];
}

/** The line below the name. Within a group of one's own making it also says where the server is written down. */
export function facts(server: ServerSummary, grouped: boolean): string {
  const parts = [server.transport];
  // The line is short, so what is unusual comes before what is always there.
  if (server.restarts > 0) parts.push(server.restarts === 1 ? '1 restart' : `${server.restarts} restarts`);
  if (grouped) parts.push(layerWords[server.origin.layer]);
  if (!server.enabled) parts.unshift('disabled');
  else if (server.state === 'ready') {
    // In a group there is no room for it; it stands beside the server's name.
    if (server.revision !== null && !grouped) parts.push(server.revision);
    if (server.latency_ms !== null) parts.push(duration(server.latency_ms));
  } else parts.push(waitsForYes(server) ? 'starts once allowed' : serverStatus[server.state].word);
  return parts.join(' · ');
}

/** It was to start by itself, and did not because nobody has allowed it yet: that is no failure. */
export function waitsForYes(server: ServerSummary): boolean {
  return server.auto_start && server.state === 'stopped' && server.problem?.code === 'approval-needed';
}

/** What is wrong with a server in a few words: with its entry or its file, or with its last start. */
export function trouble(server: ServerSummary): { text: string; tone: 'err' | 'warn' } | null {
  if (server.flaw?.severity === 'error') return { text: server.flaw.error.title, tone: 'err' };
  if (server.problem !== null && !waitsForYes(server)) return { text: server.problem.title, tone: 'err' };
  if (server.flaw !== null) return { text: `its file: ${server.flaw.error.title}`, tone: 'warn' };
  return null;
}

/** Where a server is written down, for whoever hovers over it. */
export function originLine(server: ServerSummary): string {
  const { file, layer } = server.origin;
  const lines = [
    ...(server.name === server.id ? [] : [`${server.name} (${server.id})`]),
    file === null ? layerWords[layer] : `${file} (${layerWords[layer]})`,
    ...server.overrides.map(
      (other) => `hides the one in ${other.file ?? layerWords[other.layer]} (${layerWords[other.layer]})`,
    ),
  ];
  return lines.join('\n');
}

/** The last part of a path: the rest of it is rarely what one looks for. */
export function baseName(path: string): string {
  return path.replace(/^.*[\\/](?=.)/, '');
}

/** How long until a moment, in whole seconds that never go below one while it lasts. */
export function countdown(at: number, now: number): string {
  const seconds = Math.ceil((at - now) / 1000);
  if (seconds <= 0) return 'now';
  return seconds < 100 ? `in ${seconds} s` : `in ${Math.ceil(seconds / 60)} min`;
}
