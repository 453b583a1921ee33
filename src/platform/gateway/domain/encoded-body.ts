import type { HttpCall } from './tool-request.ts'

/** As it goes over the wire; undefined if nothing is sent. */
export function encodedBody({ body, bodyType }: Pick<HttpCall, 'body' | 'bodyType'>): string | undefined {
  if (body === undefined) return undefined
  if (bodyType === 'application/json') return JSON.stringify(body)
  if (bodyType === 'application/x-www-form-urlencoded') return new URLSearchParams(formPairs(body)).toString()
  return typeof body === 'string' ? body : JSON.stringify(body)
}

/** What is inside another stands in brackets, as Rails and PHP read it and Stripe documents it: `items[0][price]`. */
function formPairs(value: unknown, name = ''): Array<[string, string]> {
  if (value === undefined || value === null) return []
  if (typeof value !== 'object') return name === '' ? [] : [[name, String(value)]]
  return Object.entries(value).flatMap(([key, inner]) => formPairs(inner, name === '' ? key : `${name}[${key}]`))
}
