/** A long text cut in the middle: its end tells as much as its start, as with addresses. Joined, it is the text. */
export function cutMiddle(text: string, most: number): [head: string, middle: string, tail: string] {
  const characters = Array.from(text);
  if (characters.length <= most) return [text, '', ''];
  const head = Math.ceil((most - 1) * 0.6);
  const tail = most - 1 - head;
  return [
    characters.slice(0, head).join(''),
    characters.slice(head, characters.length - tail).join(''),
    characters.slice(characters.length - tail).join(''),
  ];
}
