import { expect, test } from 'vitest'
import { openCircuit } from '../../src/kit/database/circuit.ts'
import { StoreUnavailable } from '../../src/kit/database/store-errors.ts'

const away = new StoreUnavailable(new Error('connect ECONNREFUSED'))

function failingCircuit() {
  let ms = 0
  const circuit = openCircuit(
    () => ms,
    () => 0.5,
  )
  for (let nth = 0; nth < 5; nth++) circuit.note(away)
  return {
    circuit,
    pass(more: number) {
      ms += more
    },
  }
}

test('after five failures in a row, one request at a time asks the server', () => {
  const { circuit, pass } = failingCircuit()

  const first = [circuit.refusal(), circuit.refusal()]
  pass(299)
  const early = circuit.refusal()
  pass(1)
  const second = [circuit.refusal(), circuit.refusal()]

  expect([...first, early, ...second]).toEqual([undefined, away, away, undefined, away])
})

test('after one answer, every request asks the server', () => {
  const { circuit } = failingCircuit()
  circuit.refusal()
  circuit.note(undefined)

  expect([circuit.refusal(), circuit.refusal()]).toEqual([undefined, undefined])
})

test('an error of another kind shows that the server answers', () => {
  const { circuit } = failingCircuit()
  circuit.note(new Error('password authentication failed'))

  expect([circuit.refusal(), circuit.refusal()]).toEqual([undefined, undefined])
})
