import { jsonPointer } from '../../kit/process/json-pointer.ts'

/** `parameter` or `header` is set if the part is not in the body. */
export type InputError = { pointer: string; detail: string; parameter?: string; header?: string }

export const parameterError = (parameter: string, detail: string): InputError => ({
  pointer: jsonPointer(parameter),
  parameter,
  detail,
})

export const headerError = (header: string, detail: string): InputError => ({
  pointer: jsonPointer(header),
  header,
  detail,
})

/** `detail` is a predicate of the part that is not valid, or a complete sentence. */
export const isSentence = (detail: string): boolean => /^\p{Lu}/u.test(detail)

/** The first error, for `detail` of a problem. */
export function firstError([first, ...others]: readonly InputError[]): string | undefined {
  if (!first) return undefined
  const { detail } = first
  const said = isSentence(detail) ? detail : `${partOf(first)} ${detail}`
  const more = others.length === 0 ? '' : `${others.length} more; see \`errors\``
  if (/[.?!]$/.test(said)) return more ? `${said} (And ${more}.)` : said
  return more ? `${said} (and ${more}).` : `${said}.`
}

const partOf = ({ pointer, parameter, header }: InputError): string =>
  parameter ?? header ?? (pointer.slice(1).replaceAll('/', '.') || 'The body')

export const inputPointer = (name: string): string => jsonPointer('inputs', name)
