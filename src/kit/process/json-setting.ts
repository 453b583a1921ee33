// Settings that name a file of JSON.
import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { jsonMistake } from './json-mistake.ts'
import { jsonPointer } from './json-pointer.ts'

/** The parsed content of a JSON file, named by a variable. */
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
    const { line, column } = jsonMistake(text)
    const unreadable =
      error instanceof SyntaxError
        ? `is not valid JSON: look at line ${line}, column ${column}`
        : `cannot be read: ${whyUnreadable(error)}`
    context.addIssue(`names a file that ${unreadable} (${path})`)
    return undefined
  }
}

function whyUnreadable(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'ENOENT') return 'it is not there'
  if (code === 'EACCES') return 'the user that this program runs as may not read it'
  return String(code ?? 'unknown')
}
