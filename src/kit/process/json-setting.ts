import { readFileSync } from 'node:fs'
import { type ParseError, parse } from 'jsonc-parser'
import { z } from 'zod'
import { jsonPointer } from './json-pointer.ts'

export const jsonFile = <S extends z.ZodType>(schema: S) =>
  z.string().transform((path, context): z.output<S> => {
    const content = readJson(path, context)
    if (content === undefined) return z.NEVER
    const parsed = schema.safeParse(content)
    if (parsed.success) return parsed.data
    for (const issue of parsed.error.issues) {
      const place = issue.path.length > 0 ? `, at ${jsonPointer(...issue.path)}` : ''
      context.addIssue(`in the file${place}: ${issue.message}`)
    }
    return z.NEVER
  })

function readJson(path: string, context: { addIssue(message: string): void }): unknown {
  let text = ''
  try {
    text = readFileSync(path, 'utf8')
    return JSON.parse(text)
  } catch (error) {
    const problem =
      error instanceof SyntaxError
        ? `is not valid JSON: look at ${placeOfMistake(text)}`
        : `cannot be read: ${whyUnreadable(error)}`
    context.addIssue(`names a file that ${problem} (${path})`)
    return undefined
  }
}

/** The message of `JSON.parse` quotes the text, which may be a secret, and doesn't always have the position. */
function placeOfMistake(text: string): string {
  const mistakes: ParseError[] = []
  parse(text, mistakes, { disallowComments: true })
  const lines = text.slice(0, mistakes[0]?.offset).split('\n')
  return `line ${lines.length}, column ${(lines.at(-1) ?? '').length + 1}`
}

function whyUnreadable(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'ENOENT') return 'it does not exist'
  if (code === 'EACCES') return 'the user of this program may not read it'
  return String(code ?? 'unknown')
}
