// The schemas of an OpenAPI document, each compiled once and where it stands: written out, one that is named a hundred times
// would be compiled a hundred times.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'

/** Finds what checks values by the schema at a pointer into the document. */
export function schemasOf(document: object): (pointer: string) => ValidateFunction {
  // What it compiles is used a few times: to make that shorter takes longer than to run it.
  const ajv = new Ajv2020({ allErrors: true, strictTypes: false, code: { optimize: false } })
  formats.default(ajv)
  ajv.addVocabulary(Object.keys(document)) // so that pointers into it are followed, and a misspelt keyword still throws
  ajv.addSchema(document, 'openapi', false, false)
  const byText = new Map<string, ValidateFunction>()
  const byPointer = new Map<string, ValidateFunction>()
  return (pointer) => {
    const known = byPointer.get(pointer)
    if (known) return known
    // Many answers are described alike, and a reference means the same wherever it stands.
    const text = JSON.stringify(partAt(document, pointer))
    const validate = byText.get(text) ?? ajv.compile({ $ref: `openapi${pointer}` })
    byText.set(text, validate)
    byPointer.set(pointer, validate)
    return validate
  }
}

export const partAt = (document: object, reference: string): unknown =>
  reference
    .split('/')
    .slice(1)
    .map((part) => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((value, part) => (value as Record<string, unknown>)?.[part], document)

/** RFC 6901, in the fragment of an address. */
export const escaped = (part: string) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))
