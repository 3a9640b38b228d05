import type { ResourceSummary, TemplateSummary } from '../../backend/bindings';

/** One line of the tree: a folder of addresses, or an entry. */
export type Line = FolderLine | EntryLine;

export type FolderLine = Placed & {
  kind: 'folder';
  /** The beginning that all addresses in it share: what it is known by, whatever else changes. */
  key: string;
  /** Of whom it is the branch: `templates` for the one branch that is not of addresses. */
  branch: 'resources' | 'templates';
  open: boolean;
  /** How many entries are in it, however deep. */
  count: number;
};

export type EntryLine = Placed &
  ({ kind: 'resource'; entry: ResourceSummary } | { kind: 'template'; entry: TemplateSummary });

type Placed = {
  depth: number;
  /** The part of the address that is not said by the folders above. */
  label: string;
  /** Its place among its siblings, from 1, and how many they are. */
  place: number;
  siblings: number;
};

/** What the person folded or unfolded, by the key of the folder; everything else follows the defaults. */
export type Folds = ReadonlyMap<string, boolean>;

export type Folder = { key: string; label: string; folders: Folder[]; entries: Leaf[]; count: number };
type Leaf = { label: string; entry: ResourceSummary };

/** The key of the branch of templates, which no address can begin with by chance: it is none of them. */
export const templatesKey = '\u0000templates';

/**
 * An address in parts: scheme, authority, and the segments of its path, each with what separates it from the next. Joined
 * they are the address, whatever text that is.
 */
export function partsOf(uri: string): string[] {
  const scheme = /^[a-z][a-z0-9+.-]*:(?:\/\/\/?)?/i.exec(uri)?.[0] ?? '';
  const rest = uri.slice(scheme.length);
  const end = rest.search(/[?#]/);
  const path = end === -1 ? rest : rest.slice(0, end);
  const query = end === -1 ? '' : rest.slice(end);
  const parts = scheme === '' ? [] : [scheme];
  let at = 0;
  // A path of a thousand slashes must not become a tree of a thousand levels.
  while (parts.length < deepest) {
    const slash = path.indexOf('/', at);
    if (slash === -1) break;
    parts.push(path.slice(at, slash + 1));
    at = slash + 1;
  }
  const last = path.slice(at) + query;
  if (last !== '' || parts.length === 0) parts.push(last);
  return parts;
}

const deepest = 16;

/** The addresses as folders within folders, in the order of the list; folders with nothing but one folder are one. */
export function treeOf(resources: ResourceSummary[]): Folder {
  const items = resources.map((entry) => ({ entry, parts: partsOf(entry.uri) }));
  return { key: '', label: '', count: items.length, ...branched(items, 0, '') };
}

type Item = { entry: ResourceSummary; parts: string[] };

/** What stands at that level: entries whose last part it is, and a folder for each part that others go on with. */
function branched(items: Item[], level: number, key: string): Pick<Folder, 'folders' | 'entries'> {
  const entries: Leaf[] = [];
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const part = item.parts[level] ?? '';
    const group = groups.get(part);
    if (item.parts.length - 1 <= level) entries.push({ label: part, entry: item.entry });
    else if (group === undefined) groups.set(part, [item]);
    else group.push(item);
  }
  const folders = [...groups].map(([part, group]) => folderOf(group, level + 1, key + part, part));
  return { folders, entries };
}

/** A folder whose only content is another one says both in one line: only where addresses part is there work. */
function folderOf(items: Item[], level: number, key: string, label: string): Folder {
  for (;;) {
    const part = items[0]?.parts[level];
    const shared = items.every(({ parts }) => parts.length - 1 > level && parts[level] === part);
    if (!shared || part === undefined) break;
    label += part;
    key += part;
    level += 1;
  }
  return { key, label, count: items.length, ...branched(items, level, key) };
}

/** The lines in sight. A small tree is open, of a large one the first levels; `all` opens what nobody folded. */
export function linesOf(root: Folder, templates: TemplateSummary[], folds: Folds, all: boolean): Line[] {
  const lines: Line[] = [];
  const walk = (folder: Folder, depth: number, more: number): void => {
    const siblings = folder.folders.length + folder.entries.length + more;
    folder.folders.forEach((inner, at) => {
      const { key, label, count } = inner;
      const open = folds.get(key) ?? (all || depth === 0 || count <= mostOpen);
      lines.push({
        kind: 'folder',
        branch: 'resources',
        key,
        label,
        depth,
        open,
        count,
        place: at + 1,
        siblings,
      });
      if (open) walk(inner, depth + 1, 0);
    });
    folder.entries.forEach(({ label, entry }, at) => {
      const place = folder.folders.length + at + 1;
      lines.push({ kind: 'resource', entry, label, depth, place, siblings });
    });
  };
  const branches = templates.length > 0 ? 1 : 0;
  walk(root, 0, branches);
  if (branches === 0) return lines;
  const open = folds.get(templatesKey) ?? true;
  const place = root.folders.length + root.entries.length + 1;
  lines.push({
    kind: 'folder',
    branch: 'templates',
    key: templatesKey,
    label: 'Templates',
    depth: 0,
    open,
    count: templates.length,
    place,
    siblings: place,
  });
  if (open)
    templates.forEach((entry, at) =>
      lines.push({
        kind: 'template',
        entry,
        label: entry.uri_template,
        depth: 1,
        place: at + 1,
        siblings: templates.length,
      }),
    );
  return lines;
}

/** A folder with more than this is closed until it is opened. */
const mostOpen = 60;

/** The folds with everything open that an address is in. */
export function revealed(folds: Folds, uri: string): Folds {
  const keys: string[] = [];
  let key = '';
  for (const part of partsOf(uri).slice(0, -1)) keys.push((key += part));
  return new Map([...folds, ...keys.map((each) => [each, true] as const)]);
}
