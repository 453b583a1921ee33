// Compiles each schema of an OpenAPI document once, in place: inlined, a shared schema would be compiled a hundred
// times.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'

export function schemasOf(document: object): (pointer: string) => ValidateFunction {
  // Optimizing takes longer than running the code a few times.
  const ajv = new Ajv2020({ allErrors: true, strictTypes: false, code: { optimize: false } })
  formats.default(ajv)
  ajv.addVocabulary(Object.keys(document)) // so that pointers into it are followed, and a misspelt keyword still throws
  ajv.addSchema(document, 'openapi', false, false)
  const byText = new Map<string, ValidateFunction>()
  const byPointer = new Map<string, ValidateFunction>()
  return (pointer) => {
    const known = byPointer.get(pointer)
    if (known) return known
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

/** JSON pointer (RFC 6901) in a URL fragment. */
export const escaped = (part: string) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))
