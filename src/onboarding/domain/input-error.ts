import { jsonPointer } from '../../kit/process/json-pointer.ts'

/** What is wrong with one part of a request. A part that is not of the body has its name beside the pointer. */
export type InputError = { pointer: string; detail: string; parameter?: string; header?: string }

/** Of the query or of the path. */
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

/** Where a session has what an integration asks of its users, by the integration's own name for it. */
export const inputPointer = (name: string): string => jsonPointer('inputs', name)
