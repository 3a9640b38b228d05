/** A tool that has every kind of field, to look at. */
export const everyShape: Record<string, unknown> = {
  name: 'book_journey',
  title: 'Book a journey',
  description: 'Has every kind of field that a schema can ask for.',
  inputSchema: {
    type: 'object',
    $defs: {
      place: {
        type: 'object',
        properties: {
          name: { type: 'string', minLength: 2, examples: ['Oslo', 'Bergen', 'Tromsø', 'Bodø'] },
          position: {
            type: 'array',
            prefixItems: [
              { type: 'number', title: 'north' },
              { type: 'number', title: 'east' },
            ],
            minItems: 2,
            maxItems: 2,
          },
          near: { $ref: '#/$defs/place', description: 'A place near by, of the same kind' },
        },
        required: ['name'],
      },
    },
    properties: {
      from: { $ref: '#/$defs/place', description: 'Where the journey begins' },
      by: {
        description: 'How to travel',
        oneOf: [
          {
            title: 'train',
            properties: {
              by: { const: 'train' },
              class: {
                oneOf: [
                  { const: 1, title: 'First class', description: 'Wide seats, and coffee' },
                  { const: 2, title: 'Second class' },
                ],
              },
            },
            required: ['by', 'class'],
          },
          {
            title: 'car',
            properties: { by: { const: 'car' }, doors: { type: 'integer', minimum: 2, maximum: 5 } },
            required: ['by'],
          },
        ],
      },
      travellers: {
        type: 'array',
        minItems: 1,
        items: {
          type: 'object',
          properties: { name: { type: 'string' }, age: { type: 'integer', minimum: 0 } },
          required: ['name'],
        },
      },
      day: { type: ['string', 'null'], format: 'date', default: '2026-03-31' },
      budget: { type: ['number', 'string'], description: 'A sum, or how it is reckoned' },
      labels: {
        type: 'object',
        additionalProperties: { type: 'string' },
        propertyNames: { enum: ['team', 'cost'] },
      },
      anything: { description: 'Whatever the server makes of it' },
      old: { type: 'string', deprecated: true },
    },
    required: ['from', 'by', 'travellers'],
  },
};
