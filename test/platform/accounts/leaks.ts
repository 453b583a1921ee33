/** What a command printed of the credentials: a piece of twelve characters, in any spelling, or a private key. */
export function leaksIn(output: string, secrets: readonly string[]): string[] {
  const texts = spellingsOf(output)
  const pieces = secrets.flatMap((secret) => [
    ...piecesOf(secret),
    ...piecesOf(btoa(`x-access-token:${secret}`).slice(20)),
  ])
  const found = pieces.filter((piece) => texts.some((text) => text.includes(piece)))
  return [...found, ...(output.match(/BEGIN (EC )?PRIVATE KEY/g) ?? [])]
}

const pieceLength = 12

const piecesOf = (secret: string): string[] =>
  Array.from({ length: Math.max(0, secret.length - pieceLength + 1) }, (_, at) =>
    secret.slice(at, at + pieceLength).toLowerCase(),
  )

function spellingsOf(output: string): string[] {
  const plain = output.replace(/[\0\r\n]|\uFFFD/g, '').toLowerCase()
  return [
    plain,
    plain.replaceAll('\\/', '/'),
    plain.replace(/%([0-9a-f]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
  ]
}
