import { type BrandedHeaders, brandedHeaderValues, plainHeaders, plainHeaderValues } from '../../../contract/headers.ts'
import type { SchemaTranslator } from './openapi-schemas.ts'

const values = { ...plainHeaderValues, ...brandedHeaderValues }

export type HeaderKey = keyof typeof values

/** Headers of the contract, as parameters of requests and as parts of answers. */
export function headerDescriber(branded: BrandedHeaders, translate: SchemaTranslator) {
  const names: Record<HeaderKey, string> = { ...plainHeaders, ...branded }
  return {
    taken: (keys: readonly HeaderKey[]) =>
      keys.map((key) => ({
        name: names[key],
        in: 'header',
        required: false,
        schema: translate(values[key], 'input'),
      })),

    answered: (keys: readonly HeaderKey[]) =>
      Object.fromEntries(keys.map((key) => [names[key], { schema: translate(values[key], 'input') }])),
  }
}
