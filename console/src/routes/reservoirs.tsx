// /reservoirs
import { Component as Coming } from './coming';

export const Component = Coming;
