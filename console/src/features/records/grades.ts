// What is picked is sold by these grades.
export const grades = {
  A: 'records.gradeA',
  B: 'records.gradeB',
  C: 'records.gradeC',
  WASTE: 'records.gradeWaste',
} as const;
