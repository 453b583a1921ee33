/** RFC 6901. A name that others chose may have anything in it. */
export const jsonPointer = (...path: readonly PropertyKey[]): string =>
  path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
