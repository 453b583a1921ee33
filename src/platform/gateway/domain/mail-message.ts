import { z } from 'zod'

const Line = z.string().regex(/^[^\r\n\0]*$/, 'must be one line')

export const Mail = z.object({
  to: Line,
  cc: Line.optional(),
  bcc: Line.optional(),
  subject: Line.default(''),
  inReplyTo: Line.optional(),
  text: z.string().default(''),
})

/** A plain-text message (RFC 5322) in base64url. The schema rejects line breaks, which could inject fields. */
export function mailMessage(given: unknown): string {
  const { to, cc, bcc, subject, inReplyTo, text } = Mail.parse(given)
  const fields = [
    ['To', to],
    ['Cc', cc],
    ['Bcc', bcc],
    ['Subject', encodedWords(subject)],
    ['In-Reply-To', inReplyTo],
    ['References', inReplyTo],
    ['MIME-Version', '1.0'],
    ['Content-Type', 'text/plain; charset=utf-8'],
    ['Content-Transfer-Encoding', 'base64'],
  ]
  const head = fields.flatMap(([name, value]) => (value ? [`${name}: ${value}`] : [])).join('\r\n')
  const body = Buffer.from(text).toString('base64').replace(/.{76}/g, '$&\r\n')
  return Buffer.from(`${head}\r\n\r\n${body}`).toString('base64url')
}

/** RFC 2047 limits an encoded word to 75 characters, so long text is split between characters. */
function encodedWords(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text
  const chunks: string[] = ['']
  for (const character of text) {
    const last = (chunks.at(-1) ?? '') + character
    if (Buffer.byteLength(last) > 45) chunks.push(character)
    else chunks[chunks.length - 1] = last
  }
  return chunks.map((chunk) => `=?UTF-8?B?${Buffer.from(chunk).toString('base64')}?=`).join('\r\n ')
}
