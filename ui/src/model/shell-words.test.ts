import { describe, expect, it } from 'vitest';
import { joinLine, splitLine } from './shell-words';

const line = (text: string) => splitLine(text).line;

describe('a line from a terminal', () => {
  it('becomes a command and its arguments', () => {
    expect(line('npx -y @modelcontextprotocol/server-filesystem /tmp')).toEqual({
      env: [],
      command: 'npx',
      args: ['-y', '@modelcontextprotocol/server-filesystem', '/tmp'],
    });
  });

  it('keeps what is quoted together, and empty words', () => {
    expect(line(`run 'a b' "c \\"d\\" $e" f\\ g ""`)?.args).toEqual(['a b', 'c "d" $e', 'f g', '']);
    expect(line(`run --path="/data with spaces"/x`)?.args).toEqual(['--path=/data with spaces/x']);
  });

  it('may go over several lines and begin with a prompt', () => {
    expect(line('$ docker run \\\n  --rm \\\r\n  -i image')?.args).toEqual(['run', '--rm', '-i', 'image']);
  });

  it('has the variables that stand before the command', () => {
    expect(line(`TOKEN='a b' DEBUG=1 uvx server --x=1`)).toEqual({
      env: [
        { name: 'TOKEN', text: 'a b' },
        { name: 'DEBUG', text: '1' },
      ],
      command: 'uvx',
      args: ['server', '--x=1'],
    });
  });

  it('is refused with the reason where only a shell could do it', () => {
    for (const [text, reason] of [
      ['a | b', '`|`'],
      ['cd x && y', '`&`'],
      ['x > log', '`>`'],
      ['x $(date)', 'within the command'],
      ['x `date`', 'within the command'],
      [`x 'a`, 'single quote'],
      ['x "a', 'double quote'],
      ['x \\', 'backslash'],
      ['A=1', 'no command'],
      ['   ', 'no command'],
    ] as const)
      expect(splitLine(text).problem, text).toContain(reason);
  });

  it('is the same after it was joined and split again', () => {
    const args = ['', `it's`, 'a b', '$HOME', '--x={"a":1}', '*', 'ä', 'a\nb'];
    expect(line(joinLine('run', args))).toEqual({ env: [], command: 'run', args });
  });
});
