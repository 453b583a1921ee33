/** What is wrong with one part of a request. A part that is not of the body has its name beside the pointer. */
export type InputError = { pointer: string; detail: string; parameter?: string; header?: string }

/** RFC 6901. A name that others chose may have anything in it. */
export const pointerTo = (...path: readonly PropertyKey[]): string =>
  path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

/** Of the query or of the path. */
export const parameterError = (parameter: string, detail: string): InputError => ({
  pointer: pointerTo(parameter),
  parameter,
  detail,
})

export const headerError = (header: string, detail: string): InputError => ({
  pointer: pointerTo(header),
  header,
  detail,
})
