import type { Launch } from '../../backend/bindings';
import { joinLine } from '../../model/shell-words';

/** How a server is reached, in one line. */
export function launchLine(launch: Launch): string {
  return launch.kind === 'command' ? joinLine(launch.command, launch.args) : launch.url;
}
