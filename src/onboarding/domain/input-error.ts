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

export const inputPointer = (name: string): string => jsonPointer('inputs', name)
