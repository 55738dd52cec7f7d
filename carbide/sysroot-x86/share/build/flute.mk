# Wolframite: from a Paint layout and its Tungsten programs to values in the cores.
#
#   bench.paint, *.w  ->  bench.obj, bench.map  ->  bench.img  ->  bench.elf  ->  bench-sim.core, bench-sim.log
#
# Pattern rules only, so including this file anywhere changes no default goal. What a Makefile may set:
#
#   PAINTVARS      names of make variables that become set=NAME=value
#   PAINTFLAGS     further terms for paint         PAINTOPTS   the same, for the command line; these win
#   SIMFLAGS       terms for the simulator         SIMOPTS     the same, for the command line; these win
#   PIPELINEFLAGS  arch= for every tool; other words are flags of the compiler
#   SIMFABRIC      the simulator                   MODE, ARCH  sim, sdr

SHELL := /bin/bash

flute-folder := $(patsubst %/,%,$(dir $(abspath $(lastword $(MAKEFILE_LIST)))))
flute-bin := $(abspath $(flute-folder)/../../bin)

# The tools are found even where only this file's place is known; tools already on PATH come first.
ifeq ($(filter $(flute-bin),$(subst :, ,$(PATH))),)
export PATH := $(PATH):$(flute-bin)
endif

# Remembered, so that the first row of test.rc may still choose them (test.mk).
flute-defaulted := $(foreach name,ARCH MODE SIMFABRIC,$(if $(filter undefined,$(origin $(name))),$(name)))
ARCH ?= sdr
MODE ?= sim
SIMFABRIC ?= simfabric

# The keys of key=value terms; set=NAME=value counts by NAME, and lib= may stand many times.
flute-key = $(if $(filter set=%,$(1)),set=$(firstword $(subst =, ,$(patsubst set=%,%,$(1)))),$(firstword $(subst =, ,$(1))))
flute-keys = $(foreach term,$(filter-out lib=%,$(1)),$(if $(findstring =,$(term)),$(call flute-key,$(term))))
# Two lists of terms in one, where those of the second replace those of the first.
flute-merge = $(filter-out $(addsuffix =%,$(call flute-keys,$(2))) $(filter verbose,$(2)),$(1)) $(2)

flute-given-arch = $(filter arch=%,$(PIPELINEFLAGS))
flute-arch = $(or $(flute-given-arch),arch=$(ARCH))
flute-compiler-words = $(filter-out arch=% threads=% verbose lib=% set=% listing=% show=% dump=%,$(PIPELINEFLAGS))
flute-pipeline = $(if $(filter toolname toolflag,$(PIPELINEFLAGS)),$(filter-out arch=%,$(PIPELINEFLAGS)),$\
  $(filter threads=% verbose lib=% set=% listing=% show=% dump=%,$(PIPELINEFLAGS)) $\
  $(if $(flute-compiler-words),toolflag w "$(flute-compiler-words)"))
flute-libs = $(addprefix lib=,. $(filter-out .,$(subst :, ,$(VPATH))))
# PAINTVARS stay unquoted: the shell computes $((...)) in a value.
flute-sets = $(foreach name,$(PAINTVARS),set=$(name)=$($(name)))
flute-paint-terms = $(strip $(call flute-merge,$(call flute-merge,$\
  $(flute-libs) $(flute-sets) $(flute-arch) verbose $(flute-pipeline),$(PAINTFLAGS)),$(PAINTOPTS)) $\
  toolname w carbide toolname yeti carbide)
flute-sim-terms = $(strip $(call flute-merge,$(call flute-merge,json=0 $(flute-given-arch),$(SIMFLAGS)),$(SIMOPTS)))

# A file that holds the terms of the last build and is touched only when they differ.
flute-remember = @set -- $(1); [[ -f $@ && "$$(<$@)" == "$$*" ]] || printf '%s\n' "$$*" > $@

# A command shown as it is, and what to do when it fails.
flute-say = $(if $(findstring s,$(firstword -$(MAKEFLAGS))),:,printf '%s\n' '$(subst ','\'',$(1))')
flute-or = @$(call flute-say,$(1)); $(1) || { $(2); exit 1; }

.PHONY: .flute-force
.flute-force: ;
.paint-terms: .flute-force
	$(call flute-remember,$(flute-paint-terms))
.sim-terms: .flute-force
	$(call flute-remember,$(SIMFABRIC) $(flute-sim-terms))

%.obj %.map: %.paint .paint-terms $(flute-folder)/flute.mk
	paint source=$< $(flute-paint-terms) image=$*.obj map=$*.map
	@bash $(flute-folder)/paint-sources $< $*.obj $*.map $*-listing.json -- $(filter lib=%,$(flute-paint-terms)) > .$*.depends
	$(call flute-or,milink image=$*.obj $(flute-arch),rm -f $*.obj $*.map)
	$(call flute-or,weight image=$*.obj map=$*.map $(flute-arch),rm -f $*.obj $*.map)

%-listing.json: %.paint .paint-terms
	paint source=$< $(filter-out listing=%,$(flute-paint-terms)) listing=$@

# A user's own rule for %.img, whatever it needs, has to come before this one. Make prefers the
# rule with the shorter stem, then the one that needs no intermediate file: this one has the longer
# stem and always needs one, which is never made.
%img: %obj %plain-image
	cp $*obj $@
%.plain-image: ;

%.elf: %.img
	mielf image=$< elf=$@$(addprefix $() ,$(flute-given-arch))

# The log of a failed run stays to be read, but old, so that it counts for nothing.
%-sim.core %-sim.log: %.elf .sim-terms
	$(if $(filter sim,$(MODE)),,$(error MODE=$(MODE): only MODE=sim can run; build bench.elf without a run, or leave MODE out))
	$(call flute-or,$(SIMFABRIC) elf=$< core=$*.elf-core $(flute-sim-terms) > $*-sim.log,rm -f $*.elf-core; touch -d @1 $*-sim.log)
	elfmi image=$*-sim.core elf=$*.elf-core$(addprefix $() ,$(flute-given-arch))
	@rm -f $*.elf-core

.PRECIOUS: %.obj %.map %-listing.json %img %.img %.elf %-sim.log

# What has been built in a folder of VPATH, with that folder's values, is no product of this one.
flute-products = *.obj *.map *.img *.elf *-sim.core *-sim.log *-listing.json
$(filter-out $(wildcard $(flute-products)),$(foreach folder,$(filter-out .,$(subst :, ,$(VPATH))),$\
  $(notdir $(wildcard $(addprefix $(folder)/,$(flute-products)))))) .flute-nothing: .flute-force

flute-goal := $(.DEFAULT_GOAL)
-include $(wildcard .*.depends)
.DEFAULT_GOAL := $(flute-goal)
