#ifndef CPEERS_H
#define CPEERS_H
#endif
