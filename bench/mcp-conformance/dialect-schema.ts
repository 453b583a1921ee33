/** All JSON Schema 2020-12 keywords that the conformance runner checks. */
export const dialectSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'address',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
  allOf: [{ anyOf: [{ required: ['name'] }, { required: ['address'] }] }],
  anyOf: [{ required: ['name'] }, { required: ['address'] }],
  if: { required: ['address'] },
  // biome-ignore lint/suspicious/noThenProperty: a word of JSON Schema
  then: { required: ['name'] },
  else: {},
  additionalProperties: false,
}
