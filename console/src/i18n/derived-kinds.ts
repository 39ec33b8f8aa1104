// Generated from the server's OpenAPI document by `npm run generate`. Do not edit.

/** By what derived sensors are computed: what each gives, the inputs that it needs (of any type where none is said) and its numbers. */
export const derivedKinds = [
  {
    kind: 'vpd',
    type: 'vapour_pressure_deficit',
    inputs: [
      { name: 'temperature', types: ['temperature'] },
      { name: 'humidity', types: ['humidity'] },
    ],
    constants: [],
  },
  {
    kind: 'leaf_vpd',
    type: 'vapour_pressure_deficit',
    inputs: [
      { name: 'temperature', types: ['temperature'] },
      { name: 'humidity', types: ['humidity'] },
    ],
    constants: [{ name: 'leaf_offset', usual: -2, min: -10, max: 10 }],
  },
  {
    kind: 'dew_point',
    type: 'dew_point',
    inputs: [
      { name: 'temperature', types: ['temperature'] },
      { name: 'humidity', types: ['humidity'] },
    ],
    constants: [],
  },
  {
    kind: 'absolute_humidity',
    type: 'absolute_humidity',
    inputs: [
      { name: 'temperature', types: ['temperature'] },
      { name: 'humidity', types: ['humidity'] },
    ],
    constants: [],
  },
  {
    kind: 'wet_bulb',
    type: 'wet_bulb',
    inputs: [
      { name: 'temperature', types: ['temperature'] },
      { name: 'humidity', types: ['humidity'] },
    ],
    constants: [{ name: 'pressure', usual: 101.325, min: 30, max: 120 }],
  },
  {
    kind: 'daily_light',
    type: 'daily_light_integral',
    inputs: [{ name: 'light', types: ['par', 'light_intensity'] }],
    constants: [{ name: 'lux_per_par', usual: 54, min: 10, max: 200 }],
  },
  {
    kind: 'degree_days',
    type: 'growing_degree_days',
    inputs: [{ name: 'temperature', types: ['temperature', 'soil_temperature', 'water_temperature'] }],
    constants: [
      { name: 'base', usual: 10, min: -10, max: 40 },
      { name: 'upper', usual: 30, min: -10, max: 60 },
    ],
  },
  {
    kind: 'moving_mean',
    type: 'number',
    inputs: [{ name: 'input', types: [] }],
    constants: [{ name: 'minutes', usual: 30, min: 1, max: 1440 }],
  },
  {
    kind: 'rate_of_change',
    type: 'rate_of_change',
    inputs: [{ name: 'input', types: [] }],
    constants: [{ name: 'minutes', usual: 15, min: 1, max: 1440 }],
  },
  {
    kind: 'time_above',
    type: 'hours',
    inputs: [{ name: 'input', types: [] }],
    constants: [{ name: 'threshold', usual: null, min: -100000000, max: 100000000 }],
  },
  {
    kind: 'difference',
    type: 'number',
    inputs: [
      { name: 'a', types: [] },
      { name: 'b', types: [] },
    ],
    constants: [],
  },
  {
    kind: 'formula',
    type: 'number',
    inputs: [],
    constants: [],
  },
] as const;
