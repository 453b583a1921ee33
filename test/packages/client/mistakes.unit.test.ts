// Programming errors throw ArgumentError. The user or the sender of a webhook is not blamed.
import { describe, expect, test } from 'vitest'
import { ArgumentError, createCauseway, type ReturnQuery, verifyWebhook } from '../../../packages/client/src/client.ts'

const causeway = createCauseway({
  url: 'https://connect.example.com',
  apiKey: 'k',
  fetch: async () => {
    throw new Error('nothing is to be sent')
  },
})

describe('a return page', () => {
  const finish = (query: unknown) => causeway.connect.finish(query as ReturnQuery, 'cws1.ses_1.v')

  test.each([
    ['nothing', undefined],
    ['an Express request', { headers: {}, query: { connect_session_id: 'ses_1' } }],
    ['a Fetch API request', new Request('https://app.acme.example/connected?connect_session_id=ses_1')],
    ['a promise of the query', Promise.resolve({ connect_session_id: 'ses_1' })],
  ])('that passes %s gets an ArgumentError', async (_what, given) => {
    const error = await finish(given).catch((caught: unknown) => caught)

    expect(error).toBeInstanceOf(ArgumentError)
    expect(error).toMatchObject({ whoseMove: 'tenant', message: expect.stringContaining('req.query in Express') })
  })

  test.each([[{}], [''], [new URLSearchParams('a=b')], [{ headers: 'from the address' }]])(
    'that is opened without a result reports what is missing: %j',
    async (given) => {
      const expected = { code: 'query_missing', whoseMove: 'tenant', statusCode: 400 }
      await expect(finish(given)).rejects.toMatchObject(expected)
      await expect(finish(given)).rejects.toThrow('The query has no connect_session_id')
    },
  )
})

describe('a webhook receiver', () => {
  const secret = 'whsec_b3RoZXIgc2VjcmV0IG9mIG91cnM='
  const verify = (headers: unknown, given: unknown) => () => verifyWebhook('{}', headers as Headers, given as string)

  test.each(['hello world!', 'cwk_test_1234', 'b3RoZXIgc2VjcmV0', 'whsec_hello world!', `${secret}\n`])(
    'reports an invalid secret: %j',
    (given) => {
      expect(verify({}, given)).toThrow(ArgumentError)
      expect(verify({}, [secret, given])).toThrow('begins with whsec_')
    },
  )

  test('without headers gets an ArgumentError', () => {
    expect(verify(undefined, secret)).toThrow(ArgumentError)
    expect(verify(undefined, secret)).toThrow('No headers were given')
  })

  test('may omit the second secret', () => {
    expect(verify({}, [secret, undefined])).toThrow('it needs the headers')
    expect(verify({}, [undefined, ''])).toThrow('No webhook secret was given')
  })
})
